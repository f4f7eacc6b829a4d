// The page of chains.
import { html, render, useEffect, useRef, useState } from './vendor/ui.js';
import {
  buildRequest,
  computeChain,
  connect,
  newStep,
  parseChain,
  sourcesFor,
} from './chain_model.js';
import { pythonProgram, shellScript } from './chain_export.js';
import { Input } from './chain_input.js';
import { Output } from './chain_output.js';
import { pack, unpack } from './share.js';
import { copy, announce } from './shell.js';
import { loadTool } from './tool_info.js';

const computeMs = 120; // after the last change

const { tools: catalog, examples } = JSON.parse(document.getElementById('data').textContent);

/** Connects the new steps to earlier ones and returns the tools of all steps. */
async function prepare(steps) {
  const tools = await Promise.all(steps.map((s) => loadTool(s.tool)));
  steps.forEach((s, i) => {
    if (!s.isNew) return;
    delete s.isNew;
    connect(tools, steps, i);
  });
  return tools;
}

/**
 * Computes the steps after each change, and writes them into the address.
 * @returns {{results: import('./chain_model.js').StepResult[], setResults: Function, run: (json:
 *   string) => void}} run starts a request of a queued tool
 */
function useResults(steps, tools) {
  const [results, setResults] = useState([]);
  const started = useRef(new Set()); // requests of queued tools that the user started, as JSON text
  const [startCount, setStartCount] = useState(0);
  const run = (json) => {
    started.current.add(json);
    setStartCount(startCount + 1);
  };
  useEffect(() => {
    if (!steps.length || tools.length !== steps.length) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      computeChain(tools, steps, {
        signal: abort.signal,
        mayRun: (json) => started.current.has(json),
        onStep: setResults,
      }).catch(() => {
        /* a later computation replaces this one */
      });
      pack(JSON.stringify(steps)).then((packed) =>
        history.replaceState(null, '', `/chain#c=${packed}`),
      );
    }, computeMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [steps, tools, startCount]);
  return { results, setResults, run };
}

/**
 * Returns the chain of the page with the functions that change it: the chain of the address, or
 * the first example.
 */
function useChain() {
  const [steps, setSteps] = useState([]);
  const [tools, setTools] = useState([]);
  const [problem, setProblem] = useState('');
  const { results, setResults, run } = useResults(steps, tools);
  const showSteps = async (next) => {
    try {
      setTools(await prepare(next));
      setSteps(next);
      setResults((r) => r.slice(0, next.length));
      setProblem('');
    } catch (error) {
      setProblem(`${error.message}. ${error.advice ?? ''}`);
    }
  };
  const change = (i, edit) =>
    showSteps(
      steps.map((s, k) =>
        k === i ? edit({ ...s, values: { ...s.values }, from: { ...s.from } }) : s,
      ),
    );
  const add = async (name) =>
    showSteps([...steps, { ...newStep(await loadTool(name)), isNew: true }]);
  const openExample = async (example) => {
    setResults([]);
    await showSteps(await stepsOfExample(example));
  };
  useEffect(() => {
    stepsOfAddress().then(
      (found) => (found ? showSteps(found) : openExample(examples[0])),
      () =>
        setProblem(
          'The link is damaged: it holds no chain that can be read. Ask for it again, or start from an example.',
        ),
    );
  }, []);
  return { steps, tools, problem, results, run, showSteps, change, add, openExample };
}

function Chain() {
  const { steps, tools, problem, results, run, showSteps, change, add, openExample } = useChain();
  return html`<div>
    <p class="chips">
      <span class="lbl">Examples</span
      >${examples.map((x) => html`<button type="button" class="chip" onClick=${() => openExample(x)}>${x.title}</button>`)}
    </p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${steps.map(
      (s, i) =>
        tools[i] &&
        html`<${Step}
          key=${`${i}.${s.tool}`}
          i=${i}
          step=${s}
          tools=${tools}
          result=${results[i]}
          last=${steps.length - 1}
          change=${(edit) => change(i, edit)}
          move=${(by) => showSteps(moveStep(steps, i, by))}
          remove=${() => showSteps(removeStep(steps, i))}
          run=${() => run(buildRequest(tools, steps, results, i).json)}
        />`,
    )}
    <${AddStep} steps=${steps} tools=${tools} add=${add} />
    ${
      steps.length > 0 &&
      html`<${Actions}
        steps=${steps}
        tools=${tools}
        results=${results}
        clear=${() => {
          history.replaceState(null, '', '/chain');
          showSteps([]);
        }}
      />`
    }
  </div>`;
}

/** Pins the chain to the notebook. */
async function pin(button, steps, tools) {
  const { pinFrom } = await import('./notebook_store.js');
  pinFrom(button, () => ({
    tool: steps[0].tool,
    title: tools.map((t) => t.title).join(', '),
    request: {},
    steps,
  }));
}

/** The buttons for the whole chain, and its shell script. */
function Actions({ steps, tools, results, clear }) {
  const script = shellScript(tools, steps, results);
  const button = (text, onClick) => html`<button type="button" onClick=${onClick}>${text}</button>`;
  return html`<p class="picker">
      ${button('Copy link', (e) => copy(location.href, e.currentTarget))}
      <button type="button" id="pin" onClick=${(e) => pin(e.currentTarget, steps, tools)}>
        Pin
      </button>
      ${button('Copy as shell script', (e) => copy(script, e.currentTarget))}
      ${button('Copy as Python', (e) => copy(pythonProgram(tools, steps, results), e.currentTarget))}
      <button type="button" class="link" onClick=${clear}>Clear</button>
    </p>
    <details class="code">
      <summary>Shell script</summary>
      <pre tabindex="0">${script}</pre>
    </details>`;
}

async function stepsOfExample(example) {
  const tools = await Promise.all(example.tools.map(loadTool));
  return tools.map((tool) => {
    const query = example.values?.[tool.name];
    const values = query && Object.fromEntries(new URLSearchParams(query));
    return { ...newStep(tool, values), isNew: true };
  });
}

/**
 * Returns the steps of the address: a chain in #c=, or a tool in ?start= with its values. Throws an
 * Error if the chain is invalid.
 * @returns {Promise<object[]|undefined>} undefined if the address has no chain
 */
async function stepsOfAddress() {
  const { hash, searchParams } = new URL(location.href);
  const { start, ...values } = Object.fromEntries(searchParams);
  if (start)
    return [newStep(await loadTool(start), Object.keys(values).length ? values : undefined)];
  if (!hash.startsWith('#c=')) return undefined;
  return parseChain(JSON.parse(await unpack(hash.slice('#c='.length))));
}

/**
 * Changes the numbers of the source steps after steps have moved.
 * @param {(step: number) => number} newIndex returns -1 for a removed step
 */
const renumberSources = (steps, newIndex) =>
  steps.map((s, i) => {
    const from = Object.entries(s.from)
      .map(([name, source]) => [name, { ...source, step: newIndex(source.step) }])
      .filter(([, source]) => source.step >= 0 && source.step < i);
    return { ...s, from: Object.fromEntries(from) };
  });

function moveStep(steps, i, by) {
  const next = [...steps];
  [next[i], next[i + by]] = [next[i + by], next[i]];
  announce(`Step ${i + 1} is now step ${i + by + 1}`);
  return renumberSources(next, (n) => {
    if (n === i) return i + by;
    return n === i + by ? i : n;
  });
}

function removeStep(steps, i) {
  const next = steps.filter((_, k) => k !== i);
  return renumberSources(next, (n) => {
    if (n === i) return -1;
    return n > i ? n - 1 : n;
  });
}

/** The title of a step, and the buttons that move and remove it. */
function StepHead({ i, step, tool, last, move, remove }) {
  const button = (text, label, onClick, isDisabled) =>
    html`<button
      type="button"
      class="small"
      disabled=${isDisabled}
      aria-label=${label}
      onClick=${onClick}
    >
      ${text}
    </button>`;
  return html`<h2>
    <span class="count">${i + 1}</span>
    <a href=${`/t/${tool.name}?${new URLSearchParams(step.values)}`}>${tool.title}</a>
    <span class="acts"
      >${button('↑', `Move step ${i + 1} up`, () => move(-1), i === 0)}
      ${button('↓', `Move step ${i + 1} down`, () => move(1), i === last)}
      ${button('✕', `Remove step ${i + 1}`, remove, false)}</span
    >
  </h2>`;
}

/** A step of the chain with its inputs and its result. */
function Step({ i, step, tools, result, last, change, move, remove, run }) {
  const tool = tools[i];
  const [hasAll, setHasAll] = useState(false);
  const isUsed = (f) =>
    f.name in step.from || Object.keys(step.values).some((path) => path.split('.')[0] === f.name);
  const shown = tool.input.filter((f) => f.required || isUsed(f) || (hasAll && !f.alias));
  const hiddenCount = tool.input.filter((f) => !f.alias && !shown.includes(f)).length;
  const fieldErrorAt = (name) =>
    (result?.fieldErrors ?? [])
      .filter((m) => m.path.split('.')[0] === name)
      .map((m) => m.detail)
      .join('; ');
  return html`<section class="step" aria-label=${`Step ${i + 1}: ${tool.title}`}>
    <${StepHead} i=${i} step=${step} tool=${tool} last=${last} move=${move} remove=${remove} />
    <div class="cols">
      <div>
        ${shown.map(
          (f) =>
            html`<${Input}
              key=${f.name}
              f=${f}
              id=${`s${i}-${f.name}`}
              step=${step}
              offers=${sourcesFor(tools, i, f)}
              change=${change}
              fieldError=${fieldErrorAt(f.name)}
            />`,
        )}
        ${hiddenCount > 0 && html`<button type="button" class="link" onClick=${() => setHasAll(true)}>More options (${hiddenCount})</button>`}
      </div>
      <div role="group" aria-label=${`Result of step ${i + 1}`}>
        <${Output} tool=${tool} result=${result} run=${run} />
      </div>
    </div>
  </section>`;
}

/** The choice of the next tool. Tools that take values of the chain are first. */
function AddStep({ steps, tools, add }) {
  const next = new Set(tools.flatMap((t) => (t.feeds ?? []).map((x) => x.tool)));
  const linked = [...next].filter((n) => !steps.some((s) => s.tool === n));
  const [name, setName] = useState('');
  const chosen = name || linked[0] || catalog[0].name;
  const categories = [...new Set(catalog.map((t) => t.category))];
  const option = (value, title) => html`<option value=${value}>${title}</option>`;
  return html`<form
    class="inline"
    onSubmit=${(e) => {
      e.preventDefault();
      setName('');
      add(chosen);
    }}
  >
    <label
      >${steps.length ? 'Next step' : 'First step'}<select
        value=${chosen}
        onChange=${(e) => setName(e.target.value)}
      >
        ${
          linked.length > 0 &&
          html`<optgroup label="Takes values from this chain">
            ${linked.map((n) => option(n, catalog.find((t) => t.name === n)?.title ?? n))}
          </optgroup>`
        }
        ${categories.map(
          (c) =>
            html`<optgroup label=${c}>
              ${catalog
                .filter((t) => t.category === c && !linked.includes(t.name))
                .map((t) => option(t.name, t.title))}
            </optgroup>`,
        )}
      </select></label
    ><button>Add</button>
  </form>`;
}

render(html`<${Chain} />`, document.getElementById('chain'));
