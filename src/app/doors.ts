/** Other ways in than a typed command. An operator can turn each of them off. No other file of the app imports them. */
export { createSlackbotDoor } from '../doors/slackbot/serve.ts'
export { createEntityFactory as createEntityOf } from '../doors/work-objects/entities.ts'
export { createPanes } from '../doors/work-objects/panes.ts'
export { createSteps } from '../doors/workflows/do-step.ts'
export { withSteps } from '../doors/workflows/end-step.ts'
