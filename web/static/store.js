// Settings in the local storage of the browser. Storage may be full or blocked; settings are then
// not saved.

const maxRecent = 8; // tools

/** Returns a setting, or the default if there is none. */
export function loadSetting(key, defaultValue) {
  try {
    const text = localStorage.getItem(key);
    return text === null ? defaultValue : JSON.parse(text);
  } catch {
    return defaultValue;
  }
}

/** Saves a setting. The value is converted to JSON. */
export function saveSetting(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The page works without saved settings.
  }
}

/** Removes all settings except the colour scheme and the notebook. */
export function clearSettings() {
  try {
    for (const key of Object.keys(localStorage))
      if (key !== 'theme' && key !== 'notebook') localStorage.removeItem(key);
  } catch {
    // Blocked storage contains no settings.
  }
}

/** Puts a tool first in the list of recent tools. */
export function addRecent(tool) {
  const others = loadSetting('recent', []).filter((name) => name !== tool);
  saveSetting('recent', [tool, ...others].slice(0, maxRecent));
}

/** Adds or removes the star of a tool. Reports whether the tool now has a star. */
export function toggleStar(tool) {
  const starred = loadSetting('starred', []);
  const isStarred = !starred.includes(tool);
  saveSetting('starred', isStarred ? [...starred, tool] : starred.filter((name) => name !== tool));
  return isStarred;
}
