// Functions for texts.

/** Escapes a text so that a regular expression matches it literally. */
export const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
