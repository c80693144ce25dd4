import { endStep, findFieldErrors } from '../changes/steps.ts'
import { isFields, parseEmbeddedJson } from '../protocol/json.ts'
import type { World } from '../state/world.ts'
import { values } from './arguments.ts'
import { ApiError, type Args, invalidArguments, type Method, type RunMethod, required } from './method.ts'

// Methods that complete a workflow step: https://docs.slack.dev/reference/methods/functions.completeSuccess and
// functions.completeError (November 2026).

function findRunningStep({ steps }: World, args: Args) {
  const run = steps.get(required(args, 'function_execution_id'))
  if (!run) throw new ApiError('function_execution_not_found')
  if (run.status !== 'running') throw new ApiError('execution_not_in_running_state')
  return run
}

const completeSuccess: RunMethod = ({ world, args }) => {
  const run = findRunningStep(world, args)
  const outputs = parseEmbeddedJson(args.outputs) ?? {}
  if (!isFields(outputs)) throw invalidArguments('must be an object [json-pointer:/outputs]')
  const step = world.manifest.steps.find(({ callbackId }) => callbackId === run.callbackId)
  const errors = findFieldErrors(step?.outputs ?? [], outputs)
  if (errors.length > 0) throw new ApiError('parameter_validation_failed', errors)
  endStep(world, run, { status: 'completed', outputs })
  return {}
}

const completeError: RunMethod = ({ world, args }) => {
  endStep(world, findRunningStep(world, args), { status: 'failed', error: required(args, 'error') })
  return {}
}

export const functionMethods: Record<string, Method> = {
  'functions.completeSuccess': { args: values('function_execution_id outputs'), run: completeSuccess },
  'functions.completeError': { args: values('function_execution_id error'), run: completeError },
}
