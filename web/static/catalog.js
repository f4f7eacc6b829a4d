// The catalog with its search. The server has the same ranking (web/catalog_page.go).
import { loadSetting, forget } from './store.js';
import { announce } from './shell.js';

const starts = (text, word) => ` ${text}`.includes(` ${word}`);

const shortestPart = 4; // letters of a word that may be part of another one

/** How well a word fits a card, 0 for not at all. */
export function score(card, word) {
  if (card.name === word || card.title === word) return 100;
  const name = card.name.replaceAll('_', ' ');
  if (name.startsWith(word) || card.title.startsWith(word)) return 60;
  if (starts(name, word) || starts(card.title, word)) return 40;
  if (starts(card.aliases.replaceAll('|', ' '), word)) return 30;
  const isLong = word.length >= shortestPart;
  if (isLong && (card.name.includes(word) || card.title.includes(word))) return 20;
  if (starts(card.summary, word)) return 12;
  if (card.fields.split('|').includes(word)) return 8;
  return isLong && (card.fields.includes(word) || card.aliases.includes(word)) ? 4 : 0;
}

/** The score, or 2 where a word of name, title or aliases differs by one letter. */
function nearScore(card, word) {
  const own = score(card, word);
  if (own > 0 || word.length < 3) return own;
  const all = `${card.name.replaceAll('_', ' ')} ${card.title} ${card.aliases.replaceAll('|', ' ')}`;
  return all.split(/\s+/).some((w) => w.length >= shortestPart && isNear(w, word)) ? 2 : 0;
}

/** Whether two words are equal but for one letter that is added, missing or another. */
function isNear(a, b) {
  if (a.length < b.length) return isNear(b, a);
  let i = 0;
  while (i < b.length && a[i] === b[i]) i++;
  if (a.length === b.length) return i < b.length && a.slice(i + 1) === b.slice(i + 1);
  return a.length === b.length + 1 && a.slice(i + 1) === b.slice(i);
}

/** The cards that fit every word, best first; where there are none, words may differ by one letter. */
export function search(cards, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = ranked(cards, words, score);
  return found.length > 0 ? found : ranked(cards, words, nearScore);
}

function ranked(cards, words, scoreOf) {
  return cards
    .map((card) => {
      const scores = words.map((w) => scoreOf(card, w));
      return { card, total: scores.includes(0) ? 0 : scores.reduce((a, b) => a + b, 0) };
    })
    .filter((x) => x.total > 0)
    .sort((a, b) => b.total - a.total)
    .map((x) => x.card);
}

const box = document.getElementById('q');
const all = document.getElementById('all');
const hits = document.getElementById('hits');
const mine = document.getElementById('mine');
const front = document.getElementById('front');
const cards = [...all.querySelectorAll('.cards > li')].map((element) => ({
  element,
  name: element.dataset.name,
  aliases: element.dataset.aliases,
  fields: element.dataset.fields,
  title: element.querySelector('a').textContent.toLowerCase(),
  summary: element.querySelector('p').textContent.toLowerCase(),
}));

function find() {
  const text = box.value.trim();
  const found = text === '' ? [] : search(cards, text);
  hits.hidden = text === '';
  all.hidden = text !== '';
  if (front) front.hidden = text !== '';
  mine.classList.toggle('unseen', text !== '');
  hits.querySelector('ul').replaceChildren(...found.map((c) => c.element.cloneNode(true)));
  document.getElementById('nothing').hidden = found.length > 0;
  document.getElementById('found').textContent = `${found.length} found for “${text}”`;
  if (text !== '') announce(`${found.length} found`);
  history.replaceState(
    null,
    '',
    text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`,
  );
}

function own() {
  const [starred, recent] = [loadSetting('starred', []), loadSetting('recent', [])];
  const names = [...starred, ...recent.filter((n) => !starred.includes(n))].slice(0, 12);
  const list = names
    .map((n) => cards.find((c) => c.name === n)?.element.cloneNode(true))
    .filter(Boolean);
  mine.hidden = list.length === 0 || location.pathname !== '/';
  for (const [i, e] of list.entries())
    if (starred.includes(names[i])) e.querySelector('a').textContent += ' ★';
  mine.querySelector('ul').replaceChildren(...list);
}

box.addEventListener('input', find);
box.form.addEventListener('submit', (event) => {
  const first = hits.querySelector('a');
  if (box.value.trim() === '' || hits.hidden) return;
  event.preventDefault();
  if (first) location.href = first.href;
});
box.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  [...document.querySelectorAll('.cards a')].find((a) => a.offsetParent)?.focus();
});
document.getElementById('forget').addEventListener('click', () => {
  forget();
  own();
  announce('Forgotten');
});
own();
