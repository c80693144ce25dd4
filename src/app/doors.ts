/** Ways in other than a typed command. An operator can turn each off. No other file of `src/app` imports them. */
export { createSlackbotDoor } from '../doors/slackbot/serve.ts'
export { createDescribeEntity as createEntityFactory } from '../doors/work-objects/entities.ts'
export { createPanes } from '../doors/work-objects/panes.ts'
export { createSteps } from '../doors/workflows/do-step.ts'
export { withStepSlots as withSteps } from '../doors/workflows/end-step.ts'
