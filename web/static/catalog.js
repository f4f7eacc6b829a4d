// The catalog with its search. The server has the same ranking (web/catalog_page.go).
import { loadSetting, forget } from './store.js';
import { announce } from './shell.js';

const starts = (text, word) => ` ${text}`.includes(` ${word}`);

/** How well a word fits a card, 0 for not at all. */
export function score(card, word) {
  if (card.name === word || card.title === word) return 100;
  const name = card.name.replaceAll('_', ' ');
  if (name.startsWith(word) || card.title.startsWith(word)) return 60;
  if (starts(name, word) || starts(card.title, word)) return 40;
  if (starts(card.aliases.replaceAll('|', ' '), word)) return 30;
  if (card.name.includes(word) || card.title.includes(word)) return 20;
  if (starts(card.summary, word)) return 12;
  if (card.fields.split('|').includes(word)) return 8;
  return card.fields.includes(word) || card.aliases.includes(word) ? 4 : 0;
}

/** The cards that fit every word, best first. */
export function search(cards, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return cards.map((card) => {
    const scores = words.map((w) => score(card, w));
    return { card, total: scores.includes(0) ? 0 : scores.reduce((a, b) => a + b, 0) };
  }).filter((x) => x.total > 0).sort((a, b) => b.total - a.total).map((x) => x.card);
}

const box = document.getElementById('q');
const all = document.getElementById('all');
const hits = document.getElementById('hits');
const mine = document.getElementById('mine');
const front = document.getElementById('front');
const cards = [...all.querySelectorAll('.cards > li')].map((element) => ({
  element, name: element.dataset.name, aliases: element.dataset.aliases, fields: element.dataset.fields,
  title: element.querySelector('a').textContent.toLowerCase(), summary: element.querySelector('p').textContent.toLowerCase(),
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
  history.replaceState(null, '', text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`);
}

function own() {
  const [starred, recent] = [loadSetting('starred', []), loadSetting('recent', [])];
  const names = [...starred, ...recent.filter((n) => !starred.includes(n))].slice(0, 12);
  const list = names.map((n) => cards.find((c) => c.name === n)?.element.cloneNode(true)).filter(Boolean);
  mine.hidden = list.length === 0 || location.pathname !== '/';
  for (const [i, e] of list.entries()) if (starred.includes(names[i])) e.querySelector('a').textContent += ' ★';
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
document.getElementById('forget').addEventListener('click', () => { forget(); own(); announce('Forgotten'); });
own();
