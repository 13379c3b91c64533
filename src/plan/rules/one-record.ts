import type { NodeRule } from './rule.js';

/**
 * `SELECT * FROM person:1`, what programs ask most often: one record that is named and shown as it is, or with its fields chosen, needs
 * no batches, nor room for other rows.
 */
export const oneRecord: NodeRule<'project'> = {
  name: 'one-record',
  kind: 'project',
  rewrite(project) {
    const { input } = project;
    return input.kind === 'named-record' ? { ...project, input: { ...input, alone: true } } : undefined;
  },
};
