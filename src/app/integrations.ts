/** Ways in other than a typed command. An operator can turn each off. No other file of `src/app` imports them. */
export { createSlackbotEndpoint } from '../integrations/slackbot/serve.ts'
export { createDescribeEntity as createEntityFactory } from '../integrations/work-objects/entities.ts'
export { createPanes } from '../integrations/work-objects/panes.ts'
export { createSteps } from '../integrations/workflows/do-step.ts'
export { withStepSlots as withSteps } from '../integrations/workflows/end-step.ts'
