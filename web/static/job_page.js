// The page of one job, which may have another origin.
import { followJob } from './job.js';
import { jobStatus } from './job_status.js';
import { ask } from './run.js';
import { drawResult, drawTrouble } from './result.js';
import { picturesFor, drawPictures } from './pictures.js';
import './shell.js';

const { id } = JSON.parse(document.getElementById('data').textContent);
const result = document.getElementById('result');
const [trouble, status, numbers, pictures] = ['div', 'div', 'div', 'div'].map((tag) => document.createElement(tag));
trouble.setAttribute('role', 'alert');
result.append(trouble, status, numbers);
pictures.className = 'pictures';
result.after(pictures);

async function follow() {
  const shown = jobStatus(status);
  try {
    const envelope = await followJob(id, { onJob: (job) => shown.show(job, job.enqueued_at ? Date.parse(job.enqueued_at) : 0) });
    const tool = (await ask('GET', `/ui/tool/${envelope.tool}`)).data;
    shown.clear();
    const list = picturesFor(tool, envelope.result);
    drawResult(numbers, tool, envelope, {}, new Set(list.map((p) => p.field?.name)));
    drawPictures(pictures, list, { tool, result: envelope.result, input: {}, body: '{}' });
  } catch (error) {
    shown.clear();
    drawTrouble(trouble, error);
  }
}
follow();
