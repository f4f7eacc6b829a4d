// The API key that the pages of one tab share.

/** The API key of this tab, which the browser drops with the tab; "" if there is none. */
export function tabKey() {
  try {
    return sessionStorage.getItem('key') ?? '';
  } catch {
    return '';
  }
}

export function saveTabKey(key) {
  try {
    sessionStorage.setItem('key', key);
  } catch {
    /* it is entered again */
  }
}
