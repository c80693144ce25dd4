import { createId, createSecret } from '../ids.ts'
import { APP_ID, seatOf } from '../people.ts'
import type { Fields, Json, Outcome, Post, StepField, StepFunction, StepRun } from '../protocol.ts'
import { actor, Refused, type Slack } from '../slack.ts'
import { raiseEvent } from './event.ts'

/** Filled in by Slack, from whoever started the run (https://docs.slack.dev/reference/types/user_context-type, November 2026). */
const USER_CONTEXT = 'slack#/types/user_context'

/** What is wrong with values for these fields, as sentences. Checks only what is missing or unknown. */
export function stepFaults(fields: readonly StepField[], values: Fields): string[] {
  const known = new Set(fields.map(({ name }) => name))
  const missing = fields.filter(({ name, is_required }) => is_required && (values[name] ?? null) === null)
  return [
    ...missing.map(({ name }) => `missing required field: ${name}`),
    ...Object.keys(values).flatMap((name) => (known.has(name) ? [] : [`unexpected field: ${name}`])),
  ]
}

function inputsOf(
  { inputs }: StepFunction,
  { user, inputs: given = {} }: Post<'step'>,
): Record<string, Json> {
  const contexts = inputs.filter(({ type }) => type === USER_CONTEXT).map(({ name }) => name)
  const typed = contexts.filter((name) => name in given)
  if (typed.length > 0)
    throw new Refused('bad_post', `"${typed[0]}" cannot be given: Slack fills in who started the run.`)
  const filled = contexts.map((name) => [name, { id: user, secret: createSecret() }])
  const all = { ...given, ...Object.fromEntries(filled) }
  const faults = stepFaults(inputs, all)
  if (faults.length > 0) throw new Refused('bad_post', `The step cannot be run: ${faults.join(', ')}.`)
  return all
}

/**
 * A person starts a workflow that has the app's step as its only one: `function_executed`, if the app subscribes to it.
 * (https://docs.slack.dev/reference/events/function_executed, November 2026)
 */
export async function runStep(slack: Slack, post: Post<'step'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const step = slack.manifest.steps.find(({ callbackId }) => callbackId === post.callbackId)
  if (!step) throw new Refused('function_not_found', `The manifest has no function "${post.callbackId}".`)
  const inputs = inputsOf(step, post)
  const { callbackId, title, description } = step
  const run: StepRun = {
    ...{ id: createId('Fx'), callbackId, user: person.id, status: 'running', outputs: {}, error: null },
  }
  slack.steps.set(run.id, run)
  const install = slack.installs.of(seatOf(person))
  const data = { execution_id: run.id, function: { callback_id: callbackId }, inputs }
  const token = install ? slack.installs.lend(install, data) : ''
  const told = await raiseEvent(slack, 'function_executed', person.id, {
    function: {
      ...{ id: `Fn${callbackId}`, callback_id: callbackId, title, description, type: 'app', app_id: APP_ID },
      input_parameters: step.inputs.map((one): Fields => ({ ...one })),
      output_parameters: step.outputs.map((one): Fields => ({ ...one })),
      ...{ date_created: 0, date_updated: 0, date_deleted: 0 },
    },
    inputs,
    function_execution_id: run.id,
    workflow_execution_id: createId('Wx'),
    bot_access_token: token,
  })
  return told.ok ? { ...told, runId: run.id } : told
}

/** The app has completed a step or failed: everyone who watches it is told. */
export function endStep(
  { steps, log }: Pick<Slack, 'steps' | 'log'>,
  run: StepRun,
  end: Pick<StepRun, 'status'> & Partial<StepRun>,
): void {
  const ended = { ...run, ...end }
  steps.set(run.id, ended)
  log.append({ type: 'step', run: ended }, null)
}
