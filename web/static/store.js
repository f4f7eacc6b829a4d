// The page's storage, on this machine only. Storage may be full or forbidden: then nothing is kept.

export function loadSetting(key, otherwise) {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function saveSetting(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    /* nothing depends on it */
  }
}

/** Forgets everything but the colour scheme and the notebook. */
export function forget() {
  try {
    for (const key of Object.keys(localStorage))
      if (key !== 'theme' && key !== 'notebook') localStorage.removeItem(key);
  } catch {
    /* there is nothing to forget then */
  }
}

const longestRecent = 8;

/** Puts a tool at the head of the recent ones. */
export function addRecent(tool) {
  saveSetting(
    'recent',
    [tool, ...loadSetting('recent', []).filter((t) => t !== tool)].slice(0, longestRecent),
  );
}

/** Stars a tool or takes its star away; tells whether it has one now. */
export function toggleStar(tool) {
  const starred = loadSetting('starred', []);
  const on = !starred.includes(tool);
  saveSetting('starred', on ? [...starred, tool] : starred.filter((t) => t !== tool));
  return on;
}
