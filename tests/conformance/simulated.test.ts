import { simulatedNodes } from '../support/shared-nodes.js';
import { followingConformance } from './following.js';

followingConformance('simulated', () => simulatedNodes());
