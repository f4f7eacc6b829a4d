// The netlist in CodeMirror: colours, completion of parts and nodes, marks at lines with errors,
// folding of subcircuits. It is in a shadow root, where it adopts its style sheets.
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

const close = completionKeymap.find((k) => k.key === 'Escape').run; // the list of completions

/** Colours by what stands where in a line. */
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
      const first = state.word++ === 0;
      if (first) state.kind = 'element';
      return first
        ? 'typeName'
        : state.word <= 3 && state.kind === 'element'
          ? 'variableName'
          : null;
    }
    stream.next();
    return 'punctuation';
  },
});

const colours = HighlightStyle.define([
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
    maxHeight: 'max(264px, calc(100vh - 340px))',
  }, // with the remarks below in sight
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '264px' },
  '.cm-content': { caretColor: 'var(--ink)' },
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

const folds = foldService.of((state, from) => {
  const line = state.doc.lineAt(from);
  if (!/^\s*\.subckt\b/i.test(line.text)) return null;
  for (let n = line.number + 1; n <= state.doc.lines; n++) {
    if (/^\s*\.ends\b/i.test(state.doc.line(n).text))
      return { from: line.to, to: state.doc.line(n).to };
  }
  return null;
});

/**
 * Puts an editor into host. parts: [{name, use, description}] of the library.
 * @param {{text: string, parts: {name: string, use: string, kind: string, description: string}[], onChange: (text: string) => void, onRun: () => void, onNode: (name: string) => void, nodeValue: (name: string) => string}} o
 */
export function editor(host, o) {
  const root = host.attachShadow({ mode: 'open' });
  const box = document.createElement('div');
  root.append(box);
  // Keys in the editor are no shortcuts of the page, except for those with Alt.
  host.addEventListener('keydown', (event) => {
    if (!event.altKey) event.stopPropagation();
  });
  const complete = (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = context.matchBefore(/[\w.#]*/);
    if (line.number === 1 || (before.from === before.to && !context.explicit)) return null;
    if (before.text.startsWith('.') || before.from === line.from) {
      const list = before.text.startsWith('.')
        ? Object.entries(cards).map(([label, detail]) => ({ label, detail, type: 'keyword' }))
        : o.parts.map((p) => ({
            label: p.use,
            detail: p.description.split(':')[0],
            type: 'class',
            filterText: p.name,
          }));
      return before.text === '' || before.text.startsWith('.')
        ? { from: before.from, options: list }
        : null;
    }
    const own = readNetlist(context.state.doc.toString());
    return {
      from: before.from,
      options: [
        ...[...own.nodes].map((label) => ({ label, type: 'variable', boost: 2 })),
        ...[...own.models].map((label) => ({ label, type: 'class', boost: 1 })),
        ...o.parts.map((p) => ({
          label: p.name,
          detail: p.description.split(':')[0],
          type: 'class',
        })),
      ],
    };
  };
  const wordAt = (state, pos) => {
    const line = state.doc.lineAt(pos);
    const at = pos - line.from;
    const m = [...line.text.matchAll(/[^\s,()=]+/g)].find(
      (w) => w.index <= at && at <= w.index + w[0].length,
    );
    return m && line.number > 1 ? m[0].toLowerCase() : '';
  };
  const view = new EditorView({
    root,
    parent: box,
    state: EditorState.create({
      doc: o.text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        history(),
        bracketMatching(),
        lintGutter(),
        folds,
        language,
        syntaxHighlighting(colours),
        theme,
        autocompletion({ override: [complete], icons: false }),
        hoverTooltip((v, pos) => {
          const text = o.nodeValue(wordAt(v.state, pos));
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
        }),
        keymap.of([
          {
            key: 'Mod-Enter',
            run: (v) => {
              close(v);
              o.onRun();
              return true;
            },
          },
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...lintKeymap,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': 'Netlist', tabindex: '0' }),
        EditorView.domEventHandlers({
          mousedown: (event, v) => {
            if (!event.ctrlKey && !event.metaKey) return false;
            const word = wordAt(v.state, v.posAtCoords(event) ?? 0);
            if (word) o.onNode(word);
            return Boolean(word);
          },
        }),
        EditorView.updateListener.of((u) => {
          if (u.docChanged) o.onChange(u.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    set(text) {
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    focus: () => view.focus(),
    /** Puts a line before .end, or below the line of the cursor. */
    insert(text) {
      const line = view.state.doc.lineAt(view.state.selection.main.head);
      const at = /^\s*\.end\s*$/i.test(line.text) ? line.from : line.to;
      const insert = at === line.from && line.number > 1 ? `${text}\n` : `\n${text}`;
      view.dispatch({
        changes: { from: at, insert },
        selection: { anchor: at + insert.length - (insert.endsWith('\n') ? 1 : 0) },
      });
      view.focus();
    },
    go(number) {
      const line = view.state.doc.line(Math.min(number, view.state.doc.lines));
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      });
      view.focus();
    },
    /** Marks lines: [{line, severity, text}]. */
    mark(remarks) {
      const list = remarks
        .map((r) => {
          const line = view.state.doc.line(Math.min(Math.max(1, r.line), view.state.doc.lines));
          return { from: line.from, to: line.to, severity: r.severity, message: r.text };
        })
        .sort((a, b) => a.from - b.from);
      view.dispatch(setDiagnostics(view.state, list));
    },
  };
}
