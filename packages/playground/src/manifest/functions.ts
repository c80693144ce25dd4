import { z } from 'zod'
import type { StepField, StepFunction } from '../protocol/protocol.ts'

const parameter = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  is_required: z.boolean().optional(),
})
const parameterList = z.strictObject({
  properties: z.record(z.string(), parameter),
  required: z.array(z.string()).optional(),
})
/** Accepts both the format in Slack's reference, and the one in Slack's templates (slack-samples/bolt-js-custom-step-template). */
const parameters = z.union([parameterList, z.record(z.string(), parameter)])

export const functions = z.record(
  z.string().max(100),
  z.looseObject({
    title: z.string().min(1).max(255),
    description: z.string().optional(),
    input_parameters: parameters.optional(),
    output_parameters: parameters.optional(),
  }),
)

function readFields(declared: z.infer<typeof parameters> | undefined): StepField[] {
  const parsed = parameterList.safeParse(declared)
  const byName = parsed.success
    ? parsed.data.properties
    : z.record(z.string(), parameter).parse(declared ?? {})
  const required = parsed.success ? (parsed.data.required ?? []) : []
  return Object.entries(byName).map(([name, { type, title = name, description = '', is_required }]) => ({
    type,
    name,
    description,
    title,
    is_required: is_required ?? required.includes(name),
  }))
}

export const readSteps = (declared: z.infer<typeof functions> = {}): StepFunction[] =>
  Object.entries(declared).map(([callbackId, step]) => ({
    callbackId,
    title: step.title,
    description: step.description ?? '',
    inputs: readFields(step.input_parameters),
    outputs: readFields(step.output_parameters),
  }))
