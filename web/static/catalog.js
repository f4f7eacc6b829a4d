// The catalog with its search. The server has the same ranking (web/catalog_page.go).
import { loadSetting, clearSettings } from './store.js';
import { announce } from './shell.js';

const minPartLetters = 4; // from which a word may match inside other words
const minNearLetters = 3; // from which a word may differ by one letter
const maxOwn = 12; // starred and recent tools

const spaced = (text) => text.replaceAll('-', ' ');
const startsWord = (text, word) => ` ${spaced(text)}`.includes(` ${word}`);

/** Returns the score of a card for a word, 0 if the card does not contain it. */
export function score(card, word) {
  if (card.name === word || card.title === word) return 100;
  const name = card.name.replaceAll('_', ' ');
  if (name.startsWith(word) || card.title.startsWith(word)) return 60;
  if (startsWord(name, word) || startsWord(card.title, word)) return 40;
  if (startsWord(card.aliases.replaceAll('|', ' '), word)) return 30;
  const isLong = word.length >= minPartLetters;
  if (isLong && (card.name.includes(word) || card.title.includes(word))) return 20;
  if (startsWord(card.summary, word)) return 12;
  if (card.fields.split('|').includes(word)) return 8;
  return isLong && (card.fields.includes(word) || card.aliases.includes(word)) ? 4 : 0;
}

/** Returns the score, or 2 if a word of name, title or aliases differs by one letter. */
function nearScore(card, word) {
  const exact = score(card, word);
  if (exact > 0 || word.length < minNearLetters) return exact;
  const aliases = card.aliases.replaceAll('|', ' ');
  const text = `${card.name.replaceAll('_', ' ')} ${card.title} ${aliases}`;
  return text.split(/[\s-]+/).some((w) => w.length >= minPartLetters && isNear(w, word)) ? 2 : 0;
}

/** Reports whether two words differ by one inserted, removed or replaced letter. */
function isNear(a, b) {
  if (a.length < b.length) return isNear(b, a);
  let i = 0;
  while (i < b.length && a[i] === b[i]) i++;
  if (a.length === b.length) return i < b.length && a.slice(i + 1) === b.slice(i + 1);
  return a.length === b.length + 1 && a.slice(i + 1) === b.slice(i);
}

/**
 * Returns the cards that contain every word, sorted by score. Words end at spaces and hyphens. If
 * there are none, words may differ by one letter.
 */
export function search(cards, text) {
  const words = text
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean);
  const found = rank(cards, words, score);
  return found.length > 0 ? found : rank(cards, words, nearScore);
}

function rank(cards, words, scoreOf) {
  return cards
    .map((card) => {
      const scores = words.map((word) => scoreOf(card, word));
      const isAlias = words.length > 1 && spaced(card.aliases).split('|').includes(words.join(' '));
      const total = scores.reduce((a, b) => a + b, isAlias ? 100 : 0);
      return { card, total: scores.includes(0) ? 0 : total };
    })
    .filter((hit) => hit.total > 0)
    .sort((a, b) => b.total - a.total)
    .map((hit) => hit.card);
}

const searchInput = document.getElementById('q');
const all = document.getElementById('all');
const hits = document.getElementById('hits');
const own = document.getElementById('mine');
const front = document.getElementById('front');
const cards = [...all.querySelectorAll('.cards > li')].map((element) => ({
  element,
  name: element.dataset.name,
  aliases: element.dataset.aliases,
  fields: element.dataset.fields,
  title: element.querySelector('a').textContent.toLowerCase(),
  summary: element.querySelector('p').textContent.toLowerCase(),
}));

/** Shows the hits of the search, or the whole catalog without a search. */
function showHits() {
  const text = searchInput.value.trim();
  const isSearch = text !== '';
  const found = isSearch ? search(cards, text) : [];
  hits.hidden = !isSearch;
  all.hidden = isSearch;
  if (front) front.hidden = isSearch;
  own.classList.toggle('unseen', isSearch);
  hits.querySelector('ul').replaceChildren(...found.map((c) => c.element.cloneNode(true)));
  document.getElementById('nothing').hidden = found.length > 0;
  document.getElementById('found').textContent = `${found.length} found for “${text}”`;
  if (isSearch) announce(`${found.length} found`);
  const address = isSearch ? `?q=${encodeURIComponent(text)}` : location.pathname;
  history.replaceState(null, '', address);
}

/** Shows the starred tools and then the recent ones. */
function showOwn() {
  const [starred, recent] = [loadSetting('starred', []), loadSetting('recent', [])];
  const names = [...new Set([...starred, ...recent])].slice(0, maxOwn);
  const items = names.flatMap((name) => {
    const item = cards.find((c) => c.name === name)?.element.cloneNode(true);
    if (!item) return []; // the tool no longer exists, or is in another category
    if (starred.includes(name)) item.querySelector('a').textContent += ' ★';
    return [item];
  });
  own.hidden = items.length === 0 || location.pathname !== '/';
  own.querySelector('ul').replaceChildren(...items);
}

searchInput.addEventListener('input', showHits);
searchInput.form.addEventListener('submit', (event) => {
  if (searchInput.value.trim() === '' || hits.hidden) return;
  event.preventDefault();
  const first = hits.querySelector('a');
  if (first) location.href = first.href;
});
searchInput.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    searchInput.value = ''; // some browsers do so without an input event
    showHits();
  }
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  [...document.querySelectorAll('.cards a')].find((a) => a.offsetParent)?.focus();
});
document.getElementById('forget').addEventListener('click', () => {
  clearSettings();
  showOwn();
  announce('Forgotten');
});
showOwn();
