// The page of one job, which may have been started elsewhere.
import { h } from './dom.js';
import { followJob } from './job.js';
import { createJobStatus } from './job_status.js';
import { requestJson } from './run.js';
import { drawResult, drawError } from './result.js';
import { picturesFor, drawPictures } from './pictures.js';
import './shell.js';

const { id } = JSON.parse(document.getElementById('data').textContent);
const result = document.getElementById('result');
result.tabIndex = -1; // receives the focus of Cancel
const errorBox = h('div', { role: 'alert' });
const statusBox = h('div');
const numbers = h('div');
const pictures = h('div', { class: 'pictures' });
result.append(errorBox, statusBox, numbers);
result.after(pictures);

async function follow() {
  const status = createJobStatus(statusBox, result);
  try {
    const envelope = await followJob(id, {
      onJob: (job) => status.show(job, job.enqueued_at ? Date.parse(job.enqueued_at) : 0),
    });
    const tool = (await requestJson('GET', `/ui/tool/${envelope.tool}`)).data;
    status.clear();
    const list = picturesFor(tool, envelope.result);
    drawResult(numbers, tool, envelope, {}, new Set(list.map((p) => p.field?.name)));
    drawPictures(pictures, list, { tool, result: envelope.result, input: {}, body: '{}' });
  } catch (error) {
    status.clear();
    drawError(errorBox, error);
  }
}
follow();
