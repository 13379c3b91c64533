// The module that holds the assembled kernels.
import loadWabt from 'wabt';

/** @param {string} text in WebAssembly's text format @returns {Promise<string>} a TypeScript module with the binary in base64 */
export async function assembled(text) {
  const wabt = await loadWabt();
  const module = wabt.parseWat('kernels.wat', text, { simd: true });
  module.validate();
  const { buffer } = module.toBinary({});
  module.destroy();
  const lines =
    Buffer.from(buffer)
      .toString('base64')
      .match(/.{1,110}/g) ?? [];
  return `// cspell:disable
/** \`kernels.wat\`, assembled by \`npm run kernels\`. */
export const KERNELS_BINARY =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
}
