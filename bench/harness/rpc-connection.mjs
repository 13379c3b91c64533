// A WebSocket connection that speaks JSON as cheaply as a client can, so that what is measured is the server.
import { onFrames, rpc, upgraded } from './raw-client.mjs';

const ANSWER = Buffer.from('{"id":');

/** `ask` answers requests; `onNotified` gets the bytes of each notification, which aren't parsed. */
export async function rpcConnection(port, onNotified = () => undefined) {
  const socket = await upgraded(port, '/rpc');
  const answers = new Map();
  let asked = 0;
  onFrames(socket, (payload) => {
    // Notifications have no id at their beginning; reading them whole would cost this process more than the server.
    if (!payload.subarray(0, 6).equals(ANSWER)) return onNotified(payload);
    const message = JSON.parse(payload);
    answers.get(message.id)?.(message);
  });
  return {
    close: () => socket.destroy(),
    ask: async (method, ...params) => {
      const id = ++asked;
      const answer = new Promise((resolve) => answers.set(id, resolve));
      socket.write(rpc(method, params, { id }));
      const { error, result } = await answer;
      answers.delete(id);
      const failed = Array.isArray(result) ? result.find(({ status }) => status === 'ERR') : undefined;
      if (error !== undefined || failed !== undefined) throw new Error(JSON.stringify(error ?? failed));
      return result;
    },
  };
}
