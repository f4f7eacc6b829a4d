// Exports a chain as a script.
import { buildRequest, factorOf } from './chain_model.js';
import { shortestDecimal } from './quantity.js';
import { shellWord } from './snippets.js';

/**
 * Splits the request of a step.
 * @returns {{own: object, taken: {name: string, step: number, source: string, isFromResult:
 *   boolean, factor: string}[]}} own: values of the step itself; taken: values of earlier steps,
 *   multiplied by factor
 */
function splitRequest(tools, steps, results, i) {
  const { input } = buildRequest(tools, steps, results, i);
  const own = Object.fromEntries(
    Object.entries(input).filter(([name]) => !(name in steps[i].from)),
  );
  const taken = Object.entries(steps[i].from).map(([name, source]) => {
    const result = results[source.step]?.envelope?.result;
    const field = tools[i].input.find((f) => f.name === name);
    return {
      name,
      step: source.step,
      source: source.name,
      isFromResult: result !== undefined && source.name in result,
      factor: shortestDecimal(factorOf(tools, i, field, source)),
    };
  });
  return { own, taken };
}

const timesFactor = ({ factor }) => (factor === '1' ? '' : ` * ${factor}`);

/** Returns the shell line that sets a taken value in the input of step n. */
function shellAssignment(n, taken) {
  const key = JSON.stringify(taken.source);
  const [variable, path] = taken.isFromResult ? ['out', `.result[${key}]`] : ['in', `.[${key}]`];
  const value = `$(printf '%s' "$${variable}${taken.step + 1}" | jq ${shellWord(path)})`;
  const filter = shellWord(`.[${JSON.stringify(taken.name)}] = $v${timesFactor(taken)}`);
  return `in${n}=$(printf '%s' "$in${n}" | jq -c --argjson v "${value}" ${filter})`;
}

/** Returns a shell script that needs curl and jq. */
export function shellScript(tools, steps, results) {
  const lines = [
    '#!/bin/sh',
    '# Needs curl and jq.',
    'set -eu',
    `base=${shellWord(location.origin)}`,
    '',
  ];
  steps.forEach((step, i) => {
    const { own, taken } = splitRequest(tools, steps, results, i);
    const n = i + 1;
    lines.push(
      `# ${n}. ${tools[i].title}`,
      `in${n}=${shellWord(JSON.stringify(own))}`,
      ...taken.map((t) => shellAssignment(n, t)),
      `out${n}=$(printf '%s' "$in${n}" | curl -sS --fail-with-body -H 'Content-Type: application/json' --data-binary @- "$base/api/${step.tool}")`,
      `printf '%s\\n' "$out${n}" | jq .result`,
      '',
    );
  });
  return lines.join('\n');
}

/** Returns the Python line that sets a taken value in the input of step n. */
function pythonAssignment(n, taken) {
  const variable = `${taken.isFromResult ? 'out' : 'in'}${taken.step + 1}`;
  const value = `${variable}[${JSON.stringify(taken.source)}]${timesFactor(taken)}`;
  return `in${n}[${JSON.stringify(taken.name)}] = ${value}`;
}

/** Returns a Python program that needs the standard library only. */
export function pythonProgram(tools, steps, results) {
  const lines = [
    'import json',
    'import urllib.request',
    '',
    `BASE = ${JSON.stringify(location.origin)}`,
    '',
    '',
    'def compute(tool, body):',
    '    request = urllib.request.Request(',
    '        f"{BASE}/api/{tool}", json.dumps(body).encode(), {"Content-Type": "application/json"}',
    '    )',
    '    with urllib.request.urlopen(request) as response:',
    '        return json.load(response)["result"]',
    '',
    '',
  ];
  steps.forEach((step, i) => {
    const { own, taken } = splitRequest(tools, steps, results, i);
    const n = i + 1;
    lines.push(
      `# ${n}. ${tools[i].title}`,
      `in${n} = json.loads(${JSON.stringify(JSON.stringify(own))})`,
      ...taken.map((t) => pythonAssignment(n, t)),
      `out${n} = compute(${JSON.stringify(step.tool)}, in${n})`,
      `print(json.dumps(out${n}, indent=2))`,
      '',
    );
  });
  return lines.join('\n');
}
