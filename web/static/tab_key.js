// The API key that the pages of one tab share. The browser deletes it when the tab is closed.

/** Returns the API key of this tab, or "". */
export function loadTabKey() {
  try {
    return sessionStorage.getItem('key') ?? '';
  } catch {
    return '';
  }
}

/** Saves the API key for this tab. */
export function saveTabKey(key) {
  try {
    sessionStorage.setItem('key', key);
  } catch {
    // Storage may be blocked. The user then enters the key on each page.
  }
}
