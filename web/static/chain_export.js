// A chain as a script for use outside of the page.
import { factorOf, request } from './chain_model.js';
import { carried } from './quantity.js';
import { shellWord } from './snippets.js';

/** What a step sends without the values it takes over, and where those come from. */
function parts(tools, steps, results, i) {
  const { input } = request(tools, steps, results, i);
  const own = Object.fromEntries(
    Object.entries(input).filter(([name]) => !(name in steps[i].from)),
  );
  const taken = Object.entries(steps[i].from).map(([name, s]) => {
    const before = results[s.step];
    const fromResult = before?.envelope && s.name in before.envelope.result;
    const factor = carried(
      factorOf(
        tools,
        i,
        tools[i].input.find((f) => f.name === name),
        s,
      ),
    );
    return { name, step: s.step, source: s.name, side: fromResult ? 'result' : 'input', factor };
  });
  return { own, taken };
}

/** A shell script with curl and jq. */
export function shellScript(tools, steps, results) {
  const lines = [
    '#!/bin/sh',
    '# Needs curl and jq.',
    'set -eu',
    `base=${shellWord(location.origin)}`,
    '',
  ];
  steps.forEach((step, i) => {
    const { own, taken } = parts(tools, steps, results, i);
    const n = i + 1;
    lines.push(`# ${n}. ${tools[i].title}`, `in${n}=${shellWord(JSON.stringify(own))}`);
    for (const t of taken) {
      const source = t.side === 'result' ? `"$out${t.step + 1}"` : `"$in${t.step + 1}"`;
      const path =
        t.side === 'result'
          ? `.result[${JSON.stringify(t.source)}]`
          : `.[${JSON.stringify(t.source)}]`;
      lines.push(
        `in${n}=$(printf '%s' "$in${n}" | jq -c --argjson v "$(printf '%s' ${source} | jq ${shellWord(path)})" ${shellWord(`.[${JSON.stringify(t.name)}] = $v${t.factor === '1' ? '' : ` * ${t.factor}`}`)})`,
      );
    }
    lines.push(
      `out${n}=$(printf '%s' "$in${n}" | curl -sS --fail-with-body -H 'Content-Type: application/json' --data-binary @- "$base/api/${step.tool}")`,
      `printf '%s\\n' "$out${n}" | jq .result`,
      '',
    );
  });
  return lines.join('\n');
}

/** A Python program without other modules than the standard library's. */
export function python(tools, steps, results) {
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
    '    with urllib.request.urlopen(request) as answer:',
    '        return json.load(answer)["result"]',
    '',
    '',
  ];
  steps.forEach((step, i) => {
    const { own, taken } = parts(tools, steps, results, i);
    const n = i + 1;
    lines.push(
      `# ${n}. ${tools[i].title}`,
      `in${n} = json.loads(${JSON.stringify(JSON.stringify(own))})`,
    );
    for (const t of taken)
      lines.push(
        `in${n}[${JSON.stringify(t.name)}] = ${t.side === 'result' ? 'out' : 'in'}${t.step + 1}[${JSON.stringify(t.source)}]${t.factor === '1' ? '' : ` * ${t.factor}`}`,
      );
    lines.push(
      `out${n} = compute(${JSON.stringify(step.tool)}, in${n})`,
      `print(json.dumps(out${n}, indent=2))`,
      '',
    );
  });
  return lines.join('\n');
}
