/**
 * The doors: other ways in than a typed command, each of which an operator can turn off. This is all that the app knows of
 * them.
 */
export { createSlackbotDoor } from '../doors/slackbot/serve.ts'
export { createEntityFactory as createEntityOf } from '../doors/work-objects/entities.ts'
export { createPanes } from '../doors/work-objects/panes.ts'
export { createSteps } from '../doors/workflows/do-step.ts'
export { withSteps } from '../doors/workflows/end-step.ts'
