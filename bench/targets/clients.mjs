// Tessera and SurrealDB in process, both through the official client.
import { tessera } from '../harness/build.mjs';
import { temporaryFolder } from '../harness/temporary-folder.mjs';
import { openClient } from './client.mjs';

const tesseraEngines = async () => (await tessera('embedded/engines')).createTesseraEngines();
const peerEngines = async () => (await import('@surrealdb/node')).createNodeEngines();

const inMemory = (engines) => async (dataset, rows) => openClient(await engines(), 'mem://', dataset, rows);
const onDisk = (engines, addressOf) => async (dataset, rows) => {
  const folder = temporaryFolder();
  const opened = await openClient(await engines(), addressOf(folder.path), dataset, rows);
  return {
    ...opened,
    close: async () => {
      await opened.close();
      folder.remove();
    },
  };
};

/** @type {import('../harness/contract.mjs').Target[]} */
export const CLIENTS = [
  {
    name: 'client:memory',
    title: 'Tessera, client',
    speaks: 'surrealql',
    keeps: 'nothing',
    needs: ['surrealdb'],
    open: inMemory(tesseraEngines),
  },
  {
    name: 'surrealdb:memory',
    title: 'SurrealDB',
    speaks: 'surrealql',
    keeps: 'nothing',
    needs: ['surrealdb', '@surrealdb/node'],
    open: inMemory(peerEngines),
  },
  {
    name: 'client:lmdb',
    title: 'Tessera on disk, client',
    speaks: 'surrealql',
    keeps: 'a crash of the machine: fsync before the answer',
    needs: ['surrealdb'],
    open: onDisk(tesseraEngines, (path) => `tessera://${path}`),
  },
  {
    name: 'surrealdb:disk',
    title: 'SurrealDB on disk',
    speaks: 'surrealql',
    keeps: 'a crash of the machine: `surrealkv://…?sync=every`',
    needs: ['surrealdb', '@surrealdb/node'],
    open: onDisk(peerEngines, (path) => `surrealkv://${path}?sync=every`),
  },
];
