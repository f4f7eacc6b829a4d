// The state of a running job: phase, percent, elapsed time, and buttons that stop or cancel it.
import { h, isDisabled, setDisabled, smallButton } from './dom.js';
import { cancelJob, stopEarly } from './job.js';
import { announce } from './shell.js';

const announceStep = 25; // percent
const lostText = 'The server does not respond. This page tries again every two seconds.';

const capitalize = (text) => text[0].toUpperCase() + text.slice(1);

/** Returns a text such as "Routing: 40 %, 3 s". */
function statusText(job, percent, startedAt) {
  if (job.state === 'disconnected') return lostText;
  const elapsed = startedAt ? `, ${((Date.now() - startedAt) / 1000).toFixed(0)} s` : '';
  if (job.state === 'queued') return `Waiting for a worker${elapsed}`;
  return `${capitalize(job.progress?.phase || 'running')}: ${percent} %${elapsed}`;
}

/** Creates a button that sends a request for the job. */
function createJobButton(label, request) {
  const button = smallButton(label, send);
  async function send() {
    if (isDisabled(button)) return;
    setDisabled(button, true);
    try {
      await request();
    } catch (error) {
      // The job may have ended, or another caller waits for it.
      setDisabled(button, false);
      button.title = error.message;
      announce(error.message);
    }
  }
  return button;
}

/**
 * Shows the state of a job in an element, and its percentage in the title of the tab.
 * @param {HTMLElement} element
 * @param {HTMLElement} [focusTarget] receives the focus if clear removes the focused button
 * @param {string} stopLabel the label of the button that ends the job with its best result so far;
 *   "" for no such button
 * @returns {{show: function(object, number), clear: function()}} show draws a job that started at a
 *   time in ms, 0 if unknown
 */
export function createJobStatus(element, focusTarget, stopLabel = '') {
  const title = document.title;
  let id = '';
  let announced = 0; // percent
  const text = h('p');
  const bar = h('progress', { class: 'progress', max: 100, 'aria-label': 'Progress' });
  const stopButton = createJobButton(stopLabel, () => stopEarly(id));
  const cancelButton = createJobButton('Cancel', () => cancelJob(id));
  const link = h('a', {}, 'Page of this job');
  const row = h('p', { class: 'picker' }, stopButton, cancelButton, link);
  return {
    show(job, startedAt) {
      if (id === '') element.replaceChildren(text, bar, row);
      id = job.id;
      link.href = `/jobs/${id}`;
      const isRunning = job.state === 'running';
      stopButton.hidden = stopLabel === '' || !isRunning;
      const isLost = job.state === 'disconnected';
      if (isLost && !cancelButton.hidden) announce(lostText);
      cancelButton.hidden = isLost;
      const percent = Math.round(job.progress?.percent ?? 0);
      text.textContent = statusText(job, percent, startedAt);
      if (isRunning) bar.value = percent;
      else bar.removeAttribute('value');
      document.title = isRunning ? `${percent} % · ${title}` : title;
      if (percent >= announced + announceStep) {
        announced = percent - (percent % announceStep);
        announce(`${announced} percent`);
      }
    },
    clear() {
      if (element.contains(document.activeElement)) focusTarget?.focus();
      element.replaceChildren();
      document.title = title;
    },
  };
}
