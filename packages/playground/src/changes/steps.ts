import type { AppLink } from '../delivery/app-link.ts'
import { sendEvent } from '../delivery/events.ts'
import { createId, createSecret } from '../protocol/ids.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Outcome, PostBody, StepField, StepFunction, StepRun } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import { APP_ID } from '../state/people.ts'
import type { World } from '../state/world.ts'

/**
 * The type of input that Slack fills in with the person who started the run (https://docs.slack.dev/reference/types/user_context-type,
 * November 2026).
 */
const USER_CONTEXT = 'slack#/types/user_context'

/** Returns an error for each missing or unexpected field. Doesn't validate the values. */
export function findFieldErrors(fields: readonly StepField[], values: Fields): string[] {
  const names = new Set(fields.map(({ name }) => name))
  const missing = fields.filter(({ name, is_required }) => is_required && (values[name] ?? null) === null)
  return [
    ...missing.map(({ name }) => `missing required field: ${name}`),
    ...Object.keys(values).flatMap((name) => (names.has(name) ? [] : [`unexpected field: ${name}`])),
  ]
}

function fillInputs(
  { inputs }: StepFunction,
  { user, inputs: entered = {} }: PostBody<'step'>,
): Record<string, Json> {
  const contextInputs = inputs.filter(({ type }) => type === USER_CONTEXT).map(({ name }) => name)
  const forbidden = contextInputs.filter((name) => name in entered)
  if (forbidden.length > 0)
    throw new ActionError(
      'bad_post',
      `Leave out "${forbidden[0]}": Slack fills in the person who started the run.`,
    )
  const filled = contextInputs.map((name) => [name, { id: user, secret: createSecret() }])
  const values = { ...entered, ...Object.fromEntries(filled) }
  const errors = findFieldErrors(inputs, values)
  if (errors.length > 0) throw new ActionError('bad_post', `The step can't be run: ${errors.join(', ')}.`)
  return values
}

/**
 * A person runs one of the app's workflow steps: sends `function_executed`.
 * (https://docs.slack.dev/reference/events/function_executed, November 2026)
 */
export async function runStep(world: World, link: AppLink, post: PostBody<'step'>): Promise<Outcome> {
  const person = findActor(world, post.user)
  const step = world.manifest.steps.find(({ callbackId }) => callbackId === post.callbackId)
  if (!step) throw new ActionError('function_not_found', `The manifest has no function "${post.callbackId}".`)
  const inputs = fillInputs(step, post)
  const { callbackId, title, description } = step
  const run: StepRun = {
    id: createId('Fx'),
    callbackId,
    user: person.id,
    status: 'running',
    outputs: {},
    error: null,
  }
  world.steps.set(run.id, run)
  const install = world.installs.forTeam(activeTeamId(person))
  const data = { execution_id: run.id, function: { callback_id: callbackId }, inputs }
  const token = install ? world.installs.issueRunToken(install, data) : ''
  const outcome = await sendEvent(world, link, 'function_executed', person.id, {
    function: {
      id: `Fn${callbackId}`,
      callback_id: callbackId,
      title,
      description,
      type: 'app',
      app_id: APP_ID,
      input_parameters: step.inputs.map((field): Fields => ({ ...field })),
      output_parameters: step.outputs.map((field): Fields => ({ ...field })),
      date_created: 0,
      date_updated: 0,
      date_deleted: 0,
    },
    inputs,
    function_execution_id: run.id,
    workflow_execution_id: createId('Wx'),
    bot_access_token: token,
  })
  return outcome.ok ? { ...outcome, runId: run.id } : outcome
}

/** Marks a step's run as completed or failed, and notifies all pages and drivers. */
export function endStep(
  { steps, log }: Pick<World, 'steps' | 'log'>,
  run: StepRun,
  result: Pick<StepRun, 'status'> & Partial<StepRun>,
): void {
  const ended = { ...run, ...result }
  steps.set(run.id, ended)
  log.append({ type: 'step', run: ended }, null)
}
