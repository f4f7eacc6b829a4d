// The page of one job, which may have another origin.
import { followJob } from './job.js';
import { jobStatus } from './job_status.js';
import { requestJson } from './run.js';
import { drawResult, drawError } from './result.js';
import { picturesFor, drawPictures } from './pictures.js';
import './shell.js';

const { id } = JSON.parse(document.getElementById('data').textContent);
const result = document.getElementById('result');
result.tabIndex = -1; // takes the focus of Cancel
const [trouble, status, numbers, pictures] = ['div', 'div', 'div', 'div'].map((tag) =>
  document.createElement(tag),
);
trouble.setAttribute('role', 'alert');
result.append(trouble, status, numbers);
pictures.className = 'pictures';
result.after(pictures);

async function follow() {
  const shown = jobStatus(status, result);
  try {
    const envelope = await followJob(id, {
      onJob: (job) => shown.show(job, job.enqueued_at ? Date.parse(job.enqueued_at) : 0),
    });
    const tool = (await requestJson('GET', `/ui/tool/${envelope.tool}`)).data;
    shown.clear();
    const list = picturesFor(tool, envelope.result);
    drawResult(numbers, tool, envelope, {}, new Set(list.map((p) => p.field?.name)));
    drawPictures(pictures, list, { tool, result: envelope.result, input: {}, body: '{}' });
  } catch (error) {
    shown.clear();
    drawError(trouble, error);
  }
}
follow();
