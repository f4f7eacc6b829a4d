// The state of a running job: phase, percent, elapsed time, and buttons that stop or cancel it.
import { isOff, switchOff } from './dom.js';
import { cancelJob, enough } from './job.js';
import { announce } from './shell.js';

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);

/**
 * Shows a job in element until clear is called, which returns a focus from here to run, the button that
 * started the job. The title of the tab shows the percentage. keep is the text of the button that ends
 * a job with its best result so far. Without keep there is no such button.
 */
export function jobStatus(element, run, keep = '') {
  const title = document.title;
  const text = document.createElement('p');
  const bar = document.createElement('progress');
  bar.className = 'progress';
  bar.max = 100;
  bar.setAttribute('aria-label', 'Progress');
  const button = (label, act) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'small';
    b.textContent = label;
    b.addEventListener('click', async () => {
      if (isOff(b)) return;
      switchOff(b, true);
      try {
        await act(id);
      } catch (error) {
        // it may have ended, or another caller waits for it too
        switchOff(b, false);
        b.title = error.message;
        announce(error.message);
      }
    });
    return b;
  };
  const stop = button('Cancel', cancelJob);
  const settle = button(keep, enough);
  const link = document.createElement('a');
  link.textContent = 'Page of this job';
  const row = document.createElement('p');
  row.className = 'picker';
  row.append(settle, stop, link);
  let id = '';
  let spoken = 0;
  return {
    show(job, began) {
      if (id === '') element.replaceChildren(text, bar, row);
      id = job.id;
      link.href = `/jobs/${id}`;
      settle.hidden = keep === '' || job.state !== 'running';
      const percent = Math.round(job.progress?.percent ?? 0);
      const elapsed = began ? `, ${((Date.now() - began) / 1000).toFixed(0)} s` : '';
      text.textContent =
        job.state === 'queued'
          ? `Waiting for a worker${elapsed}`
          : `${capitalized(job.progress?.phase || 'running')}: ${percent} %${elapsed}`;
      if (job.state === 'queued') bar.removeAttribute('value');
      else bar.value = percent;
      document.title = `${percent} % · ${title}`;
      if (percent >= spoken + 25) {
        spoken = percent - (percent % 25);
        announce(`${spoken} percent`);
      }
    },
    clear() {
      if (element.contains(document.activeElement)) run?.focus();
      element.replaceChildren();
      document.title = title;
    },
  };
}
