export { KeptAnswer } from './kept-answer.js';
export { PeriodicWork } from './periodic-work.js';
export { tryAgain } from './try-again.js';
export { NoAnswerInTime, waitAtMost, withinMs } from './within-ms.js';
