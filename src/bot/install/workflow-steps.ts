import type { Environment } from '../../domain/environment.ts'
import { quoted } from '../../domain/quoting.ts'

/** An input or an output of a step, as Workflow Builder shows it. */
interface StepField {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly title: string
  readonly description: string
  readonly isOptional?: true
}

/** The inputs that the workflow's author has filled in, without empty ones. */
export type StepInputs = Readonly<Record<string, string | undefined>>

/** A step that people put into their workflows. It runs a command line, and its outputs come from the answer. */
interface WorkflowStep {
  readonly title: string
  readonly description: string
  /** The command and verb that it runs. */
  readonly verb: '/hc show' | '/threat' | '/cert-order' | '/cert-order show'
  /** The feature that it requires. */
  readonly needs?: 'threat' | 'cert-order'
  readonly inputs: Readonly<Record<string, StepField>>
  readonly outputs: Readonly<Record<string, StepField>>
  /** The text after the verb, with each input as a single quoted word. Absent for a step that submits a form. */
  readonly words?: (inputs: StepInputs) => string
}

const CHECK: StepField = {
  type: 'string',
  title: 'Health check',
  description: 'Its name or UUID',
}
const ENVIRONMENT: StepField = {
  type: 'string',
  title: 'Environment',
  description: 'production or ote. Empty means production',
  isOptional: true,
}
const ORDER: StepField = { type: 'integer', title: 'Order', description: 'The number of the order' }
const ANSWER: StepField = { type: 'string', title: 'Answer', description: 'The result as a sentence' }

const CHECK_OUTPUTS = {
  id: { type: 'string', title: 'UUID', description: 'Use this in later steps' },
  name: { type: 'string', title: 'Name', description: 'The name of the health check' },
  status: { type: 'string', title: 'Status', description: 'up, down or installing' },
  is_up: { type: 'boolean', title: 'Is up', description: 'Whether it is up' },
  answer: ANSWER,
} as const satisfies WorkflowStep['outputs']

/** The longest wait. Slack doesn't document how long a step may run. */
export const MAX_MINUTES = 14 * 24 * 60

const MINUTES: StepField = {
  type: 'integer',
  title: 'Longest wait in minutes',
  description: `1 to ${MAX_MINUTES} (14 days). Empty means the maximum`,
  isOptional: true,
}

const optionalText = (title: string, description: string): StepField => ({
  type: 'string',
  title,
  description,
  isOptional: true,
})

/** All steps, for the manifest, the step handlers, the documentation, and `doctor`. */
export const WORKFLOW_STEPS = {
  check_status: {
    title: 'Check a status',
    description: 'Checks whether a health check is up',
    verb: '/hc show',
    inputs: { check: CHECK, environment: ENVIRONMENT },
    outputs: CHECK_OUTPUTS,
    words: ({ check = '' }) => quoted(check),
  },
  wait_until_up: {
    title: 'Wait until a check is up',
    description: 'Continues when a health check is up, or when time runs out',
    verb: '/hc show',
    inputs: { check: CHECK, minutes: MINUTES, environment: ENVIRONMENT },
    outputs: CHECK_OUTPUTS,
    words: ({ check = '' }) => quoted(check),
  },
  look_up_threat: {
    title: 'Look up a threat event',
    description: 'Looks up a threat event, without personal data',
    verb: '/threat',
    needs: 'threat',
    inputs: {
      event: { type: 'string', title: 'Threat event', description: 'Its ID' },
      environment: ENVIRONMENT,
    },
    outputs: { verdict: { type: 'string', title: 'Verdict', description: 'Severity and kind of threat' } },
    words: ({ event = '' }) => quoted(event),
  },
  request_order: {
    title: 'Request a certificate order',
    description: 'Requests a certificate, which people then approve or reject',
    verb: '/cert-order',
    needs: 'cert-order',
    inputs: {
      csr: { type: 'string', title: 'Certificate signing request (CSR)', description: 'As PEM text' },
      duration: { type: 'string', title: 'Duration', description: 'Such as 1 year' },
      product: optionalText('Product ID', 'For a new certificate'),
      certificate: optionalText('Certificate ID', 'To renew one. Leave the product empty then'),
      organization: optionalText('Organization ID', 'If the order is for an organization'),
      reference: optionalText('Order reference', 'Your purchase order or cost center'),
      environment: ENVIRONMENT,
    },
    outputs: {
      order: ORDER,
      outcome: {
        type: 'string',
        title: 'Outcome',
        description: 'waiting, approved, received, failed, unknown',
      },
      answer: ANSWER,
    },
  },
  await_decision: {
    title: 'Wait for the decision on an order',
    description: 'Continues when a certificate order has an outcome, or when time runs out',
    verb: '/cert-order show',
    needs: 'cert-order',
    inputs: { order: ORDER, minutes: MINUTES },
    outputs: {
      order: ORDER,
      outcome: {
        type: 'string',
        title: 'Outcome',
        description:
          'received, failed, unknown, rejected, withdrawn, or expired; waiting or approved if time runs out',
      },
      answer: ANSWER,
    },
    words: ({ order = '' }) => quoted(order),
  },
} as const satisfies Record<string, WorkflowStep>

export type StepId = keyof typeof WORKFLOW_STEPS

/** The step with this ID, if this deployment has it. */
export const findStep = (
  id: string,
  disabledFeatures: ReadonlySet<string>,
): (WorkflowStep & { id: StepId }) | undefined => listSteps(disabledFeatures).find((step) => step.id === id)

/** The steps of a deployment without these features. */
export const listSteps = (disabledFeatures: ReadonlySet<string>): (WorkflowStep & { id: StepId })[] =>
  disabledFeatures.has('workflows')
    ? []
    : Object.entries<WorkflowStep>(WORKFLOW_STEPS)
        .filter(([, { needs }]) => needs === undefined || !disabledFeatures.has(needs))
        // The keys of WORKFLOW_STEPS are the IDs.
        .map(([id, step]) => ({ id: id as StepId, ...step }))

/** The command line of a step that doesn't submit a form. */
export function stepLine(
  { verb, words }: Pick<WorkflowStep, 'verb' | 'words'>,
  inputs: StepInputs,
  environment: Environment,
): { command: string; text: string } {
  const [command = '', ...rest] = verb.slice(1).split(' ')
  const text = [...rest, words?.(inputs), environment === 'ote' && '--env ote'].filter(Boolean).join(' ')
  return { command, text }
}

/**
 * Slack sets this input to the person who started the workflow. The workflow's author can't change it
 * (https://docs.slack.dev/reference/types/user_context-type, November 2026).
 */
const PERSON = {
  type: 'slack#/types/user_context',
  title: 'Person',
  description: 'Who started the workflow; Slack fills it in',
}

const formatParameters = (
  fields: WorkflowStep['inputs'],
  extraFields: Readonly<Record<string, object>> = {},
) => ({
  properties: {
    ...extraFields,
    ...Object.fromEntries(Object.entries(fields).map(([name, { isOptional: _, ...field }]) => [name, field])),
  },
  required: [
    ...Object.keys(extraFields),
    ...Object.entries(fields).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
  ],
})

/** The `functions` section of the manifest (https://docs.slack.dev/reference/app-manifest, November 2026). */
export const stepFunctions = (disabledFeatures: ReadonlySet<string>) =>
  Object.fromEntries(
    listSteps(disabledFeatures).map(({ id, title, description, inputs, outputs }) => [
      id,
      {
        title,
        description,
        input_parameters: formatParameters(inputs, { person: PERSON }),
        output_parameters: formatParameters(outputs),
      },
    ]),
  )
