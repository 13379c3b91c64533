/** The thread that estimates passwords: loading its dictionaries takes some 160 ms, an estimate up to 300. */
import { parentPort } from 'node:worker_threads';
import { answerTo, type StrengthRequest } from './estimate.js';

parentPort?.on('message', (request: StrengthRequest) => parentPort?.postMessage(answerTo(request)));
