// Functions for text areas.

/** Selects a line of a text area, counted from 1, and focuses the area. */
export function selectLine(area, line) {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((n, text) => n + text.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}
