// The netlist in CodeMirror: syntax colours, completion of parts and nodes, marks at lines with
// errors, folding of subcircuits. It is in a shadow root, where it adopts its style sheets.
import {
  EditorState,
  EditorView,
  keymap,
  lineNumbers,
  highlightActiveLine,
  highlightActiveLineGutter,
  drawSelection,
  hoverTooltip,
  defaultKeymap,
  history,
  historyKeymap,
  StreamLanguage,
  HighlightStyle,
  syntaxHighlighting,
  foldGutter,
  foldKeymap,
  foldService,
  bracketMatching,
  autocompletion,
  completionKeymap,
  lintGutter,
  lintKeymap,
  setDiagnostics,
  tags,
} from './vendor/editor.js';
import { readNetlist } from './spice_netlist.js';

/** The cards that the completion offers, with an example or a description. */
const cards = {
  '.op': 'operating point',
  '.dc': '.dc V1 0 5 0.1: sweep of a source',
  '.ac': '.ac dec 20 10 1meg: response over frequency',
  '.tran': '.tran 1u 1m: over time',
  '.noise': '.noise v(out) V1 dec 10 1 1meg: noise spectrum',
  '.tf': '.tf v(out) V1: gain and resistances',
  '.sens': '.sens v(out): effect of each value',
  '.pz': '.pz in 0 out 0 vol pz: poles and zeros',
  '.fft': '.fft v(out) window=hann: spectrum of .tran',
  '.end': 'last line',
  '.model': '.model name D(IS=1e-14)',
  '.param': '.param r=1k',
  '.subckt': '.subckt name nodes',
  '.ends': 'ends a subcircuit',
  '.measure': '.measure tran name max v(out)',
  '.four': '.four 1k v(out): harmonics',
  '.ic': '.ic v(out)=0',
  '.nodeset': '.nodeset v(out)=1',
  '.temp': '.temp 50',
  '.options': '.options reltol=1e-5',
  '.save': '.save v(out)',
  '.global': '.global vcc',
};

const closeCompletions = completionKeymap.find((k) => k.key === 'Escape').run;

/** The syntax of a netlist. state.word is the index of the next word of a card. */
const language = StreamLanguage.define({
  name: 'spice',
  startState: () => ({ first: true, word: 0, kind: '' }),
  token(stream, state) {
    if (stream.sol()) {
      if (state.first) {
        state.first = false;
        stream.skipToEnd();
        return 'heading';
      }
      if (!/^\s*\+/.test(stream.string)) Object.assign(state, { word: 0, kind: '' });
    }
    if (stream.eatSpace()) return null;
    if (state.word === 0 && stream.peek() === '*') {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match(/^;.*|^\$ .*/)) return 'comment';
    if (stream.match(/^\{[^}]*\}|^'[^']*'/)) return 'string';
    if (state.word === 0 && stream.match(/^\.[a-z]+/i)) {
      Object.assign(state, { word: 1, kind: 'card' });
      return 'keyword';
    }
    if (
      state.word > 0 &&
      stream.match(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[a-zµΩ]*(?=[\s,()=]|$)/i)
    ) {
      state.word++;
      return 'number';
    }
    if (stream.match(/^[a-z_][\w.]*(?=\s*=)/i)) return 'propertyName';
    if (stream.match(/^[^\s,()=]+/)) {
      const isFirst = state.word++ === 0;
      if (isFirst) state.kind = 'element';
      if (isFirst) return 'typeName';
      return state.word <= 3 && state.kind === 'element' ? 'variableName' : null;
    }
    stream.next();
    return 'punctuation';
  },
});

const highlightStyle = HighlightStyle.define([
  { tag: tags.heading, color: 'var(--ink)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--bad)' },
  { tag: tags.typeName, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.number, color: 'var(--good)' },
  { tag: tags.string, color: 'var(--warn)' },
  { tag: tags.propertyName, color: 'var(--warn)' },
  { tag: tags.variableName, color: 'var(--ink)' },
]);

const theme = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    fontSize: '13px',
    height: '100%',
    // leaves the list of errors visible; paper has the whole netlist
    maxHeight: 'var(--tallest, max(264px, calc(100vh - 340px)))',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '264px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '@media print': {
    '.cm-content': { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', flexShrink: 1 },
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--wash) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--wash)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--onaccent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '.8', fontStyle: 'normal' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--accent)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--wash) !important' },
});

/** Folds the cards from .subckt to .ends. */
const subcircuitFolds = foldService.of((state, from) => {
  const line = state.doc.lineAt(from);
  if (!/^\s*\.subckt\b/i.test(line.text)) return null;
  for (let n = line.number + 1; n <= state.doc.lines; n++) {
    if (/^\s*\.ends\b/i.test(state.doc.line(n).text))
      return { from: line.to, to: state.doc.line(n).to };
  }
  return null;
});

/** Returns the word at a position in lower case, or "" on the title line. */
function wordAt(state, pos) {
  const line = state.doc.lineAt(pos);
  if (line.number === 1) return '';
  const column = pos - line.from;
  const words = [...line.text.matchAll(/[^\s,()=]+/g)];
  const word = words.find((w) => w.index <= column && column <= w.index + w[0].length);
  return word ? word[0].toLowerCase() : '';
}

/** Returns a completion source of CodeMirror for cards, parts, nodes and models. */
const completionSource = (parts) => (context) => {
  const line = context.state.doc.lineAt(context.pos);
  const before = context.matchBefore(/[\w.#]*/);
  const isEmpty = before.from === before.to;
  if (line.number === 1 || (isEmpty && !context.explicit)) return null;
  if (before.text.startsWith('.')) return { from: before.from, options: cardCompletions() };
  if (before.from === line.from)
    return isEmpty ? { from: before.from, options: elementCompletions(parts) } : null;
  return { from: before.from, options: nameCompletions(context.state.doc.toString(), parts) };
};

const cardCompletions = () =>
  Object.entries(cards).map(([label, detail]) => ({ label, detail, type: 'keyword' }));

const shortDescription = (part) => part.description.split(':')[0];

const elementCompletions = (parts) =>
  parts.map((p) => ({
    label: p.use,
    detail: shortDescription(p),
    type: 'class',
    filterText: p.name,
  }));

function nameCompletions(text, parts) {
  const { nodes, models } = readNetlist(text);
  return [
    ...[...nodes].map((label) => ({ label, type: 'variable', boost: 2 })),
    ...[...models].map((label) => ({ label, type: 'class', boost: 1 })),
    ...parts.map((p) => ({ label: p.name, detail: shortDescription(p), type: 'class' })),
  ];
}

/** Shows the value of the node under the pointer. */
const valueTooltip = (nodeValue) =>
  hoverTooltip((view, pos) => {
    const text = nodeValue(wordAt(view.state, pos));
    if (!text) return null;
    return {
      pos,
      create: () => {
        const dom = document.createElement('div');
        dom.textContent = text;
        dom.style.padding = '2px 8px';
        return { dom };
      },
    };
  });

const keys = (onRun) =>
  keymap.of([
    {
      key: 'Mod-Enter',
      run: (view) => {
        closeCompletions(view);
        onRun();
        return true;
      },
    },
    ...completionKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
  ]);

/** Calls onNode with the word at a click with Ctrl or Cmd. */
const clickHandler = (onNode) =>
  EditorView.domEventHandlers({
    mousedown: (event, view) => {
      if (!event.ctrlKey && !event.metaKey) return false;
      const word = wordAt(view.state, view.posAtCoords(event) ?? 0);
      if (word) onNode(word);
      return Boolean(word);
    },
  });

const extensions = ({ parts, onChange, onRun, onNode, nodeValue }) => [
  lineNumbers(),
  foldGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawSelection(),
  history(),
  bracketMatching(),
  lintGutter(),
  subcircuitFolds,
  language,
  syntaxHighlighting(highlightStyle),
  theme,
  autocompletion({ override: [completionSource(parts)], icons: false }),
  valueTooltip(nodeValue),
  keys(onRun),
  EditorView.contentAttributes.of({ 'aria-label': 'Netlist', tabindex: '0' }),
  clickHandler(onNode),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) onChange(update.state.doc.toString());
  }),
];

/**
 * @typedef {object} EditorOptions
 * @property {string} text
 * @property {{name: string, use: string, kind: string, description: string}[]} parts of the library
 * @property {(text: string) => void} onChange
 * @property {() => void} onRun
 * @property {(name: string) => void} onNode a click with Ctrl or Cmd on a word
 * @property {(name: string) => string} nodeValue returns the text for the pointer on a word
 */

/**
 * Creates an editor in an element.
 * @param {HTMLElement} host
 * @param {EditorOptions} options
 */
export function createEditor(host, options) {
  const root = host.attachShadow({ mode: 'open' });
  const box = document.createElement('div');
  root.append(box);
  // Keys in the editor are no shortcuts of the page, except for keys with Alt.
  host.addEventListener('keydown', (event) => {
    if (!event.altKey) event.stopPropagation();
  });
  const state = EditorState.create({ doc: options.text, extensions: extensions(options) });
  const view = new EditorView({ root, parent: box, state });
  const lineOf = (number) => view.state.doc.line(Math.min(number, view.state.doc.lines));
  return {
    setText(text) {
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    focus: () => view.focus(),
    /** Inserts a line below the cursor, or before the line .end. */
    insertLine(text) {
      const line = view.state.doc.lineAt(view.state.selection.main.head);
      const at = /^\s*\.end\s*$/i.test(line.text) ? line.from : line.to;
      const insert = at === line.from && line.number > 1 ? `${text}\n` : `\n${text}`;
      view.dispatch({
        changes: { from: at, insert },
        selection: { anchor: at + insert.length - (insert.endsWith('\n') ? 1 : 0) },
      });
      view.focus();
    },
    goToLine(number) {
      const line = lineOf(number);
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      });
      view.focus();
    },
    /** @param {import('./spice_netlist.js').Diagnostic[]} diagnostics marks at lines */
    showDiagnostics(diagnostics) {
      const marks = diagnostics
        .map(({ line: number, severity, text }) => {
          const line = lineOf(Math.max(1, number));
          return { from: line.from, to: line.to, severity, message: text };
        })
        .sort((a, b) => a.from - b.from);
      view.dispatch(setDiagnostics(view.state, marks));
    },
  };
}
