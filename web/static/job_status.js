// How a running job is shown: phase, percent, elapsed time, and a button that cancels.
import { cancelJob } from './job.js';
import { say } from './shell.js';

/** Shows a job in element until clear is called. The tab's title carries the percent. */
export function jobStatus(element) {
  const title = document.title;
  const text = document.createElement('p');
  const bar = document.createElement('progress');
  bar.className = 'progress';
  bar.max = 100;
  bar.setAttribute('aria-label', 'Progress');
  const stop = document.createElement('button');
  stop.type = 'button';
  stop.className = 'small';
  stop.textContent = 'Cancel';
  const link = document.createElement('a');
  link.textContent = 'Page of this job';
  const row = document.createElement('p');
  row.className = 'picker';
  row.append(stop, link);
  let id = '';
  let spoken = 0;
  stop.addEventListener('click', async () => {
    stop.disabled = true;
    try {
      await cancelJob(id);
    } catch {
      stop.disabled = false; // it may just have ended
    }
  });
  return {
    show(job, began) {
      if (id === '') element.replaceChildren(text, bar, row);
      id = job.id;
      link.href = `/jobs/${id}`;
      const percent = Math.round(job.progress?.percent ?? 0);
      const elapsed = began ? `, ${((Date.now() - began) / 1000).toFixed(0)} s` : '';
      text.textContent = job.state === 'queued' ? `Waiting for a worker${elapsed}` : `${job.progress?.phase || 'Running'}: ${percent} %${elapsed}`;
      if (job.state === 'queued') bar.removeAttribute('value');
      else bar.value = percent;
      document.title = `${percent} % · ${title}`;
      if (percent >= spoken + 25) {
        spoken = percent - (percent % 25);
        say(`${spoken} percent`);
      }
    },
    clear() {
      element.replaceChildren();
      document.title = title;
    },
  };
}
