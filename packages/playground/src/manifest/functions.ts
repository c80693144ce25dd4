import { z } from 'zod'
import type { StepField, StepFunction } from '../protocol.ts'

const field = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  is_required: z.boolean().optional(),
})
const list = z.strictObject({
  properties: z.record(z.string(), field),
  required: z.array(z.string()).optional(),
})
/** In the form of Slack's reference, or in that of its templates (slack-samples/bolt-js-custom-step-template). */
const fields = z.union([list, z.record(z.string(), field)])

export const functions = z.record(
  z.string().max(100),
  z.looseObject({
    title: z.string().min(1).max(255),
    description: z.string().optional(),
    input_parameters: fields.optional(),
    output_parameters: fields.optional(),
  }),
)

function readFields(given: z.infer<typeof fields> | undefined): StepField[] {
  const parsed = list.safeParse(given)
  const byName = parsed.success ? parsed.data.properties : z.record(z.string(), field).parse(given ?? {})
  const required = parsed.success ? (parsed.data.required ?? []) : []
  return Object.entries(byName).map(([name, { type, title = name, description = '', is_required }]) => ({
    ...{ type, name, description, title },
    is_required: is_required ?? required.includes(name),
  }))
}

export const readSteps = (given: z.infer<typeof functions> = {}): StepFunction[] =>
  Object.entries(given).map(([callbackId, one]) => ({
    ...{ callbackId, title: one.title, description: one.description ?? '' },
    inputs: readFields(one.input_parameters),
    outputs: readFields(one.output_parameters),
  }))
