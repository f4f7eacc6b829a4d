// The page of chains.
import { html, render, useEffect, useRef, useState } from './vendor/ui.js';
import {
  checked,
  computeChain,
  connect,
  newStep,
  pairsToRows,
  request,
  sources,
  toolOf,
} from './chain_model.js';
import { brief, choiceText, gap, partsOf, show, unitText, withUnit } from './quantity.js';
import { conclude } from './result.js';
import { pack, unpack } from './share.js';
import { copy, announce } from './shell.js';
import { shellScript, python } from './chain_export.js';

const { tools: all, examples } = JSON.parse(document.getElementById('data').textContent);
const simple = (f) => ['quantity', 'literal', 'text', 'choice', 'switch'].includes(f.kind);

function Chain() {
  const [steps, setSteps] = useState([]);
  const [tools, setTools] = useState([]);
  const [results, setResults] = useState([]);
  const [problem, setProblem] = useState('');
  const allowed = useRef(new Set()); // requests of queued steps that the user started
  const [turn, setTurn] = useState(0);

  const put = async (next) => {
    try {
      const list = await Promise.all(next.map((s) => toolOf(s.tool)));
      next.forEach((s, i) => {
        if (s.fresh) {
          delete s.fresh;
          connect(list, next, i);
        }
      });
      setTools(list);
      setSteps(next);
      setResults((r) => r.slice(0, next.length));
      setProblem('');
    } catch (error) {
      setProblem(`${error.message}. ${error.advice ?? ''}`);
    }
  };

  useEffect(() => {
    read(put, setProblem).then((found) => found || start(examples[0]));
  }, []);
  useEffect(() => {
    if (!steps.length || tools.length !== steps.length) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      computeChain(tools, steps, {
        signal: stop.signal,
        heavy: (i, json) => allowed.current.has(json),
        onStep: setResults,
      }).catch(() => {
        /* a newer one runs */
      });
      pack(JSON.stringify(steps)).then((c) => history.replaceState(null, '', `/chain#c=${c}`));
    }, 120);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [steps, tools, turn]);

  const change = (i, edit) =>
    put(
      steps.map((s, k) =>
        k === i ? edit({ ...s, values: { ...s.values }, from: { ...s.from } }) : s,
      ),
    );
  const add = async (name) => put([...steps, { ...newStep(await toolOf(name)), fresh: true }]);
  const start = async (example) => {
    const list = await Promise.all(example.tools.map(toolOf));
    setResults([]);
    await put(
      list.map((t) => ({
        ...newStep(
          t,
          example.values?.[t.name] &&
            Object.fromEntries(new URLSearchParams(example.values[t.name])),
        ),
        fresh: true,
      })),
    );
  };
  return html`<div>
    <p class="chips">
      <span class="lbl">Examples</span
      >${examples.map((x) => html`<button type="button" class="chip" onClick=${() => start(x)}>${x.title}</button>`)}
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
          move=${(by) => put(moved(steps, i, by))}
          drop=${() => put(dropped(steps, i))}
          run=${(json) => {
            allowed.current.add(json);
            setTurn(turn + 1);
          }}
          requestOf=${() => lastRequest(tools, steps, results, i)}
        />`,
    )}
    <${Add} steps=${steps} tools=${tools} add=${add} />
    ${
      steps.length > 0 &&
      html`<p class="picker">
          <button type="button" onClick=${(e) => copy(location.href, e.currentTarget)}>
            Copy link
          </button>
          <button
            type="button"
            id="pin"
            onClick=${({ currentTarget }) => import('./notebook_store.js').then((m) => m.pinFrom(currentTarget, () => ({ tool: steps[0].tool, title: tools.map((t) => t.title).join(', '), request: {}, steps })))}
          >
            Pin
          </button>
          <button
            type="button"
            onClick=${(e) => copy(shellScript(tools, steps, results), e.currentTarget)}
          >
            Copy as shell script
          </button>
          <button
            type="button"
            onClick=${(e) => copy(python(tools, steps, results), e.currentTarget)}
          >
            Copy as Python
          </button>
          <button
            type="button"
            class="link"
            onClick=${() => {
              history.replaceState(null, '', '/chain');
              put([]);
            }}
          >
            Clear
          </button>
        </p>
        <details class="code">
          <summary>Shell script</summary>
          <pre tabindex="0">${shellScript(tools, steps, results)}</pre>
        </details>`
    }
  </div>`;
}

const lastRequest = (tools, steps, results, i) => request(tools, steps, results, i).json;

/** The chain that the address names: packed behind #c=, or ?start=tool with values. */
async function read(put, setProblem) {
  const { hash, searchParams } = new URL(location.href);
  try {
    if (!hash.startsWith('#c=') && !searchParams.has('start')) return false;
    const { start, ...values } = Object.fromEntries(searchParams);
    if (start)
      await put([newStep(await toolOf(start), Object.keys(values).length ? values : undefined)]);
    else await put(checked(JSON.parse(await unpack(hash.slice(3)))));
  } catch {
    setProblem(
      'The link is damaged: it holds no chain that can be read. Ask for it again, or start from an example.',
    );
  }
  return true;
}

const renumbered = (steps, to) =>
  steps.map((s, i) => ({
    ...s,
    from: Object.fromEntries(
      Object.entries(s.from)
        .map(([k, v]) => [k, { ...v, step: to(v.step) }])
        .filter(([, v]) => v.step >= 0 && v.step < i),
    ),
  }));

function moved(steps, i, by) {
  const next = [...steps];
  [next[i], next[i + by]] = [next[i + by], next[i]];
  announce(`Step ${i + 1} is now step ${i + by + 1}`);
  return renumbered(next, (n) => (n === i ? i + by : n === i + by ? i : n));
}

const dropped = (steps, i) =>
  renumbered(
    steps.filter((_, k) => k !== i),
    (n) => (n === i ? -1 : n > i ? n - 1 : n),
  );

function Step({ i, step, tools, result, last, change, move, drop, run, requestOf }) {
  const tool = tools[i];
  const [more, setMore] = useState(false);
  const used = (f) =>
    f.name in step.from ||
    Object.keys(step.values).some((k) => k === f.name || k.startsWith(`${f.name}.`));
  const shown = tool.input.filter((f) => f.required || used(f) || (more && !f.alias));
  const left = tool.input.filter((f) => !f.alias && !shown.includes(f)).length;
  const mistakes = result?.mistakes ?? [];
  return html`<section class="step" aria-label=${`Step ${i + 1}: ${tool.title}`}>
    <h2>
      <span class="count">${i + 1}</span>
      <a href=${`/t/${tool.name}?${new URLSearchParams(step.values)}`}>${tool.title}</a>
      <span class="acts"
        ><button
          type="button"
          class="small"
          disabled=${i === 0}
          aria-label=${`Move step ${i + 1} up`}
          onClick=${() => move(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="small"
          disabled=${i === last}
          aria-label=${`Move step ${i + 1} down`}
          onClick=${() => move(1)}
        >
          ↓
        </button>
        <button type="button" class="small" aria-label=${`Remove step ${i + 1}`} onClick=${drop}>
          ✕
        </button></span
      >
    </h2>
    <div class="cols">
      <div>
        ${shown.map(
          (f) =>
            html`<${Input}
              key=${f.name}
              f=${f}
              id=${`s${i}-${f.name}`}
              step=${step}
              offers=${sources(tools, i, f)}
              change=${change}
              mistake=${mistakes
                .filter((m) => m.path.split('.')[0] === f.name)
                .map((m) => m.detail)
                .join('; ')}
            />`,
        )}
        ${left > 0 && html`<button type="button" class="link" onClick=${() => setMore(true)}>More options (${left})</button>`}
      </div>
      <div role="group" aria-label=${`Result of step ${i + 1}`}>
        <${Outcome} tool=${tool} result=${result} run=${() => run(requestOf())} />
      </div>
    </div>
  </section>`;
}

function Input({ f, id, step, offers, change, mistake }) {
  const source = step.from[f.name];
  const typed = (text) =>
    change((s) => {
      if (text === '') delete s.values[f.name];
      else s.values[f.name] = text;
      return s;
    });
  const take = (value) =>
    change((s) => {
      delete s.from[f.name];
      if (value !== '')
        s.from[f.name] = {
          step: Number(value.split('.')[0]),
          name: value.slice(value.indexOf('.') + 1),
        };
      return s;
    });
  const nested = !simple(f) && !['numbers', 'words'].includes(f.kind);
  const rows = nested && !source;
  return html`<div
    class=${`in${mistake ? ' bad' : ''}${rows ? ' rows-in' : ''}`}
    role=${rows ? 'group' : undefined}
    aria-label=${rows ? f.label : undefined}
  >
    <label for=${rows ? undefined : source ? `${id}-from` : id} title=${f.doc}
      >${f.label}${!f.required && html` <span class="opt">optional</span>`}</label
    >
    ${
      source
        ? null
        : nested
          ? html`<${Rows} f=${f} id=${id} step=${step} change=${change} />`
          : f.options
            ? html`<select
                id=${id}
                value=${step.values[f.name] === f.default ? '' : (step.values[f.name] ?? '')}
                onChange=${(e) => typed(e.target.value)}
              >
                ${f.options.map((o) => html`<option value=${o.value}>${o.text}</option>`)}
              </select>`
            : html`<span class="entry"
                ><input
                  id=${id}
                  class=${['quantity', 'literal'].includes(f.kind) ? 'num' : undefined}
                  value=${step.values[f.name] ?? ''}
                  placeholder=${f.default ?? ''}
                  autocomplete="off"
                  spellcheck="false"
                  onInput=${(e) => typed(e.target.value)}
                  aria-invalid=${mistake ? 'true' : undefined}
                />${unitText(f.unit) && html`<span class="unit">${unitText(f.unit)}</span>`}</span
              >`
    }
    ${
      offers.length > 0 &&
      html`<select
        id=${`${id}-from`}
        aria-label=${`${f.label} from`}
        value=${source ? `${source.step}.${source.name}` : ''}
        onChange=${(e) => take(e.target.value)}
      >
        <option value="">typed here</option>
        ${offers.map((o) => html`<option value=${`${o.step}.${o.name}`}>from ${o.label}</option>`)}
      </select>`
    }
    ${mistake && html`<p class="mistake" role="alert">${mistake}</p>`}
  </div>`;
}

const pairColumns = [
  { name: 'name', label: 'Name' },
  { name: 'value', label: 'Value' },
];

/** A list of objects, or of names and values: a row each. */
function Rows({ f, id, step, change }) {
  const columns =
    f.kind === 'pairs'
      ? pairColumns
      : f.fields.filter((c) => simple(c) || c.kind === 'numbers' || c.kind === 'words');
  const indexed = (values) => (f.kind === 'pairs' ? pairsToRows({ input: [f] }, values) : values);
  const values = indexed({ ...step.values });
  const key = (i, name) => `${f.name}.${i}.${name}`;
  const rows = [
    ...new Set(
      Object.keys(values)
        .filter((k) => k.startsWith(`${f.name}.`))
        .map((k) => Number(k.split('.')[1])),
    ),
  ].sort((a, b) => a - b);
  // A cleared field stays an empty text, so that its row remains while the user types.
  const edit = (act) =>
    change((s) => {
      s.values = indexed(s.values);
      act(s.values);
      return s;
    });
  const add = () =>
    edit((v) => {
      v[key((rows.at(-1) ?? -1) + 1, columns[0].name)] = '';
    });
  const drop = (i) =>
    edit((v) => {
      for (const k of Object.keys(v)) if (k.startsWith(`${f.name}.${i}.`)) delete v[k];
    });
  return html`<ol class="rows">
      ${rows.map(
        (i) =>
          html`<li class="row" key=${i}>
            ${columns.map((c) => {
              const [name, text] = [key(i, c.name), values[key(i, c.name)] ?? ''];
              const set = (e) =>
                edit((v) => {
                  v[name] = e.target.value;
                });
              return html`<div class="field" key=${c.name}>
                <label for=${`${id}-${i}-${c.name}`} title=${c.doc}
                  >${c.label}${unitText(c.unit) && ` [${unitText(c.unit)}]`}</label
                >
                ${
                  c.options
                    ? html`<select
                        id=${`${id}-${i}-${c.name}`}
                        value=${text === c.default ? '' : text}
                        onChange=${set}
                      >
                        ${c.options.map((o) => html`<option value=${o.value}>${o.text}</option>`)}
                      </select>`
                    : html`<input
                        id=${`${id}-${i}-${c.name}`}
                        value=${text}
                        placeholder=${c.default ?? ''}
                        autocomplete="off"
                        spellcheck="false"
                        onInput=${set}
                      />`
                }
              </div>`;
            })}
            <button
              type="button"
              class="drop"
              aria-label=${`Remove row ${i + 1} of ${f.label}`}
              onClick=${() => drop(i)}
            >
              ✕
            </button>
          </li>`,
      )}
    </ol>
    <button type="button" class="small" onClick=${add}>Add a row</button>`;
}

function Outcome({ tool, result, run }) {
  if (!result) return html`<p class="empty">…</p>`;
  if (result.waiting)
    return html`<p class="empty">${result.waiting}</p>
      ${result.runnable && html`<button type="button" class="main" onClick=${run}>Run</button>`}`;
  if (result.trouble && !result.mistakes?.length)
    return html`<p class="problem"><b>${result.trouble.message}</b> ${result.trouble.advice}</p>`;
  if (!result.envelope) return html`<p class="empty">Not computed.</p>`;
  const values = tool.output.filter(
    (f) =>
      simple(f) &&
      result.envelope.result[f.name] !== null &&
      result.envelope.result[f.name] !== undefined &&
      !(f.name in result.input),
  );
  const said = conclude(tool, result.envelope.result);
  return html`${said && html`<p class=${`conclusion ${said.tone}`}>${said.text}</p>`}
  ${result.lines.map((l) => html`<p class="taken">takes ${l.field.label}${taken(l)} from step ${l.source.step + 1}</p>`)}
  ${result.envelope.result.warnings?.map((w) => html`<p class="warnings"><span>${w}</span></p>`)}
  ${values
    .sort((a, b) => rank(tool, b) - rank(tool, a))
    .slice(0, 8)
    .map(
      (f) =>
        html`<${Value}
          key=${f.name}
          f=${withUnit(f, result.envelope.result)}
          v=${result.envelope.result[f.name]}
        />`,
    )}
  ${result.envelope.result.vectors && html`<${Curves} tool=${tool} result=${result.envelope.result} />`}`;
}

/** A result: a text of several lines in a box of its own, all else on one line. */
function Value({ f, v }) {
  if (typeof v === 'string' && v.includes('\n'))
    return html`<div class="value text">
      <span class="name" title=${f.doc}>${f.label}</span>
      <pre tabindex="0" aria-label=${f.label}>${v}</pre>
    </div>`;
  const p = partsOf(
    f,
    typeof v === 'number' ? v : f.kind === 'choice' ? choiceText(f, v) : words(v),
  );
  if (typeof v === 'number') p.number = brief(f, p.number);
  return html`<div class="value">
    <span class="name" title=${f.doc}>${f.label}</span
    ><span class=${`number${typeof v === 'string' && v.length > 24 ? ' wordy' : ''}`}
      >${p.number}${gap(p.unit)}${p.unit && html`<span class="u">${p.unit}</span>`}</span
    >
  </div>`;
}

/** Results that people come for stand first, the others in their order. */
const rank = (tool, f) =>
  tool.primary?.includes(f.name) ? tool.primary.length - tool.primary.indexOf(f.name) : 0;

/** What a line says of a value that was taken; a text of several lines stands in its own step. */
const taken = ({ field, value }) =>
  typeof value === 'number'
    ? ` = ${show(value, field.unit ?? '')}`
    : String(value).length > 40 || String(value).includes('\n')
      ? ''
      : ` = ${value}`;

const words = (v) => ({ true: 'yes', false: 'no' })[v] ?? String(v);

function Curves({ tool, result }) {
  const box = useRef();
  useEffect(() => {
    let clean;
    let gone = false;
    import('./picture_vectors.js').then((m) => {
      if (!gone) clean = m.draw(box.current, { tool, result });
    });
    return () => {
      gone = true;
      clean?.();
    };
  }, [result]);
  return html`<div ref=${box}></div>`;
}

/** The next step: tools that the chain feeds come first. */
function Add({ steps, tools, add }) {
  const fed = [...new Set(tools.flatMap((t) => (t.feeds ?? []).map((x) => x.tool)))].filter(
    (n) => !steps.some((s) => s.tool === n),
  );
  const [name, setName] = useState('');
  const chosen = name || fed[0] || all[0].name;
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
        ${fed.length > 0 && html`<optgroup label="Takes values from this chain">${fed.map((n) => html`<option value=${n}>${all.find((t) => t.name === n)?.title ?? n}</option>`)}</optgroup>`}
        ${[...new Set(all.map((t) => t.category))].map((c) => html`<optgroup label=${c}>${all.filter((t) => t.category === c && !fed.includes(t.name)).map((t) => html`<option value=${t.name}>${t.title}</option>`)}</optgroup>`)}
      </select></label
    ><button>Add</button>
  </form>`;
}

render(html`<${Chain} />`, document.getElementById('chain'));
