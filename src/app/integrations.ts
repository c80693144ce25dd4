/** The integrations with other parts of Slack. An operator can turn each off. No other file of `src/app` imports them. */
export { createSlackbotEndpoint } from '../integrations/slackbot/serve.ts'
export { createDescribeEntity } from '../integrations/work-objects/entities.ts'
export { createPanes } from '../integrations/work-objects/panes.ts'
export { createSteps } from '../integrations/workflows/run-step.ts'
