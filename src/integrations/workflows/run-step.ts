import { NotDelivered, type WorkKind } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import {
  ANSWER_ACTION,
  type AnswerTargets,
  type Request,
  type RequestOrigin,
  type StateValues,
} from '@signalman/slack'
import type { createSubmissions } from '../../bot/forms/submissions.ts'
import { findStep, MAX_MINUTES, type StepInputs, stepLine } from '../../bot/install/workflow-steps.ts'
import type { createTypedHandler } from '../../bot/pipeline/handlers.ts'
import type { RequestHandler } from '../../bot/request/contract.ts'
import { NO_PLACEHOLDER, silentSlot } from '../../bot/request/reply.ts'
import type { HandledRequest } from '../../bot/routes/command-context.ts'
import type { WindowStates } from '../../bot/windows/window-states.ts'
import type { Environment } from '../../domain/environment.ts'
import { EVENT_ID } from '../../domain/event-id.ts'
import { createEndStep, type EndDeps, type EndStep, explainStepProblem } from './end-step.ts'
import { createWaiting, outcomeName, type WaitDeps, type Waiting } from './wait.ts'

type StepRequest = Extract<Request, { kind: 'step' }>
type Step = NonNullable<ReturnType<typeof findStep>>

interface StepDeps extends Pick<WaitDeps, 'getApi' | 'access' | 'engine' | 'now'>, EndDeps {
  typedHandler: ReturnType<typeof createTypedHandler>
  submissionHandler: ReturnType<typeof createSubmissions>
  windowStates: Pick<WindowStates, 'write'>
  store: {
    orders: WaitDeps['orders'] & {
      findByReference(
        workspaceId: string,
        reference: string,
      ): Promise<{ number: number; state: string } | undefined>
    }
  }
  config: {
    slack: { disabledFeatures: ReadonlySet<string> }
    commandPrefix: string
    watchIntervalSeconds: number
  }
}

type Deps = StepDeps & { waiting: Waiting; endStep: EndStep }

/** A step with its inputs, on behalf of the person who started the workflow. */
interface StepRun {
  step: Step
  inputs: StepInputs
  environment: Environment
  request: HandledRequest
  executionId: string
}

/**
 * Runs a workflow step as the command that it stands for, with the same authorization and audit log. Repeated deliveries of a step
 * have the same execution ID, and run it only once. Its outcome is resent until Slack accepts it.
 */
export function createSteps(stepDeps: StepDeps): {
  handle: (request: StepRequest, origin: RequestOrigin) => RequestHandler
  /** The work of steps that wait. */
  kind: WorkKind
} {
  const { store, config, access } = stepDeps
  const endStep = createEndStep(stepDeps)
  const intervalMs = config.watchIntervalSeconds * 1000
  const waiting = createWaiting({ ...stepDeps, orders: store.orders, endStep, intervalMs })
  const deps = { ...stepDeps, endStep, waiting }

  function handle({ callbackId, inputs, origin }: StepRequest): RequestHandler {
    const { executionId = '' }: AnswerTargets = origin.surface
    const step = findStep(callbackId, config.slack.disabledFeatures)
    return {
      verb: step ? `step ${step.id}` : 'step',
      isAct: true,
      idempotencyKey: `step ${executionId}`,
      async run(request) {
        if (request.userId === '') throw new UserError(UNKNOWN_STARTER)
        if (!step) throw new UserError(UNKNOWN_STEP)
        // Checked before the inputs, so that people who aren't allowed see only that.
        await access.admit(request, {
          needs: 'viewer',
          verb: step.verb,
          usesCache: true,
          changesSomething: !step.words,
        })
        const stepInputs = readInputs(step, inputs)
        await runStep(deps, { step, request, executionId, ...stepInputs })
        return step.id
      },
      slotOptions: NO_PLACEHOLDER,
      // A step has no place for a reply, so a problem ends it with an error.
      showProblem: ({ workspaceId, enterpriseId, reference }, problem) =>
        endStep(
          { workspaceId, enterpriseId, reference, executionId },
          explainStepProblem(problem, reference),
        ),
    }
  }

  return { handle, kind: waiting.kind }
}

async function runStep(deps: Deps, run: StepRun): Promise<void> {
  const { step, request, executionId } = run
  const { workspaceId, enterpriseId, reference } = request
  const answer = await (step.words ? runTypedLine(deps, run) : submitForm(deps, run))
  const outputs = await readOutputs(deps, run, answer)
  if (outputs === 'waits') return
  await deps.endStep({ workspaceId, enterpriseId, reference, executionId }, { outputs }).catch((error) => {
    throw new NotDelivered(error)
  })
}

/** Returns the step's outputs, without personal data; `waits` if the step has to wait for them. */
async function readOutputs(
  deps: Deps,
  { step, inputs, environment, request, executionId }: StepRun,
  answer: string,
) {
  const startWaiting = (subject: string) =>
    deps.waiting.start(request, {
      executionId,
      environment,
      subject,
      step: step.id,
      minutes: parseMinutes(inputs.minutes),
    })
  const { workspaceId } = request
  switch (step.id) {
    case 'check_status':
    case 'wait_until_up': {
      const outputs = await deps.waiting.readCheckNow(request, environment, inputs.check ?? '')
      if (outputs.is_up || step.id === 'check_status') return outputs
      await startWaiting(outputs.id)
      return 'waits'
    }
    case 'look_up_threat':
      return { verdict: answer }
    case 'request_order': {
      const order = await deps.store.orders.findByReference(workspaceId, request.reference)
      if (!order) throw new Error('The requested order isn’t stored.')
      return { order: order.number, outcome: outcomeName(order.state), answer }
    }
    case 'await_decision': {
      const { outputs, isSettled } = await deps.waiting.readOrder(workspaceId, Number(inputs.order))
      if (isSettled) return outputs
      await startWaiting(String(Number(inputs.order)))
      return 'waits'
    }
  }
}

/** Runs the step's line as if the person had typed it. Resolves with the first line of the answer. */
async function runTypedLine({ typedHandler, config }: Deps, { step, inputs, environment, request }: StepRun) {
  const { command, text } = stepLine(step, inputs, environment)
  const handler = typedHandler({ command: `${config.commandPrefix}${command}`, text })
  // Rejects an input such as `delete`, which would run another command.
  if (handler.isAct || (handler.verb !== step.verb && handler.verb !== `/${command}`))
    throw new UserError(INPUTS_REJECTED)
  return runAndCollect(handler, request)
}

const ORDER_FORM = 'cert-orders.order'

/** Submits the order form as if the person had filled it in. Resolves with the first line of the answer. */
async function submitForm(
  { submissionHandler, windowStates }: Deps,
  { inputs, environment, request, executionId }: StepRun,
) {
  const state = { environment, formState: { environment, choices: {} } }
  const typed = { ...inputs, product: inputs.product ?? '' }
  const action = inputs.certificate === undefined ? 'create' : 'renew'
  const values: StateValues = {
    ...Object.fromEntries(
      Object.entries(typed).map(([name, value = '']) => [name, { [ANSWER_ACTION]: { value } }]),
    ),
    action: { [ANSWER_ACTION]: { selected_option: { value: action } } },
  }
  const view = {
    id: executionId,
    callbackId: ORDER_FORM,
    hash: '',
    fieldSuffix: '',
    title: '',
    submit: '',
    blocks: [],
    values,
    metadata: await windowStates.write(request, ORDER_FORM, state),
  }
  const handler = submissionHandler({ kind: 'submission', view }, request)
  if (!handler.run) throw new UserError(readFormErrors(handler.acknowledgement))
  return runAndCollect(handler, request)
}

/** Runs the handler, and resolves with the first line of its answer. The answer isn't posted anywhere. */
async function runAndCollect(handler: RequestHandler, request: HandledRequest): Promise<string> {
  let text = ''
  const slot = silentSlot(async (content) => {
    if ('text' in content) text = content.text
  })
  await handler.run?.(request, slot)
  return text.split('\n', 1)[0] ?? ''
}

/** The errors in the acknowledgement of a form. */
function readFormErrors(acknowledgement: unknown): string {
  const { errors = {} } = (acknowledgement ?? {}) as { errors?: Readonly<Record<string, string>> }
  return Object.values(errors).join('\n') || INPUTS_REJECTED
}

/** Parses the inputs. Throws a UserError that tells the workflow's author what to fix. */
function readInputs(step: Step, sentInputs: StepRequest['inputs']): Pick<StepRun, 'inputs' | 'environment'> {
  const inputs: Record<string, string> = {}
  for (const [name, { title, isOptional }] of Object.entries(step.inputs)) {
    const value = Object.hasOwn(sentInputs, name) ? sentInputs[name] : undefined
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
    if (text !== '') inputs[name] = text
    else if (!isOptional)
      throw new UserError(`The step “${step.title}” needs its “${title}”. Edit the workflow and fill it in.`)
  }
  const { environment = 'production', order, event } = inputs
  if (environment !== 'production' && environment !== 'ote')
    throw new UserError('The environment must be production or ote. Edit the workflow.')
  if (order !== undefined && !/^\d{1,9}$/.test(order))
    throw new UserError('The order must be a number, such as 12. Edit the workflow.')
  if (event !== undefined) requireOneEvent(event)
  parseMinutes(inputs.minutes)
  return { inputs, environment }
}

/** The outputs are about one event, and anything else would be lost. Throws UserError. */
function requireOneEvent(text: string): void {
  if (!ONE_EVENT.test(text))
    throw new UserError('The threat event must be exactly one ID, without anything else. Edit the workflow.')
}

const ONE_EVENT = new RegExp(`^[^\\p{L}\\p{N}]*${EVENT_ID}[^\\p{L}\\p{N}]*$`, 'iu')

function parseMinutes(text: string | undefined): number {
  const minutes = text === undefined ? MAX_MINUTES : Number(text)
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES) return minutes
  throw new UserError(`The wait must be from 1 to ${MAX_MINUTES} minutes (14 days). Edit the workflow.`)
}

const UNKNOWN_STARTER =
  'Slack didn’t say who started this workflow, so nothing was done. Start it with something that a person does, such as a link or a button. A user ID that someone types or picks doesn’t count.'
const UNKNOWN_STEP =
  'This version of Signalman doesn’t have this step. Remove it from the workflow, or ask the operator of this app.'
const INPUTS_REJECTED = 'This step doesn’t accept these inputs. Nothing was done.'
