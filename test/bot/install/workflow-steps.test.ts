import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { findStep, listSteps, stepLine, WORKFLOW_STEPS } from '../../../src/bot/install/workflow-steps.ts'
import { examine } from '../../../src/doctor/examine.ts'
import { startDeployment } from '../../doctor/deployment.ts'
import { createPrintedManifest, MANIFEST } from '../../manifest.ts'

const ALL = Object.keys(WORKFLOW_STEPS)
const page = readFileSync(join(import.meta.dirname, '../../../docs/use-workflows.md'), 'utf8')

const functions = createPrintedManifest(['workflows']).functions ?? {}

describe('the manifest', () => {
  it('declares the person as an input of every step, in HTTP and Socket Mode', () => {
    expect(Object.keys(functions)).toEqual(ALL)
    expect(createPrintedManifest(['workflows'], true).functions).toEqual(functions)
    for (const { input_parameters: inputs } of Object.values(functions)) {
      expect(inputs.properties.person).toMatchObject({ type: 'slack#/types/user_context' })
      expect(inputs.required).toContain('person')
    }
  })

  it('has all properties that Slack requires for steps', () => {
    expect(createPrintedManifest(['workflows']).settings).toMatchObject({
      function_runtime: 'remote',
      org_deploy_enabled: true,
      event_subscriptions: { bot_events: expect.arrayContaining(['function_executed']) },
    })
  })

  it('has no steps unless an operator turns them on', () => {
    expect(createPrintedManifest([])).not.toHaveProperty('functions')
    expect(readManifest(MANIFEST).steps).toEqual([])
    expect(JSON.stringify(createPrintedManifest([]))).not.toContain('function')
  })

  it.each([
    [['workflows'], []],
    [['threat'], ALL.filter((id) => id !== 'look_up_threat')],
    [['cert-order'], ALL.filter((id) => !/order|decision/.test(id))],
  ])('leaves out the steps that need %s if it is turned off', (without, remaining) => {
    expect(listSteps(new Set(without)).map(({ id }) => id)).toEqual(remaining)
  })
})

it('lists the workflow steps in the doctor', async () => {
  await using deployment = await startDeployment()
  const findMessage = async (variables: Record<string, string>) =>
    (await examine({ environment: { ...deployment.variables, ...variables } })).find(
      ({ part }) => part === 'feature workflows',
    )?.message
  const on = { SLACK_WITH_FEATURES: 'workflows' }
  expect(await findMessage(on)).toContain(
    'check_status, wait_until_up, look_up_threat, request_order, await_decision',
  )
  expect(await findMessage({ ...on, SLACK_WITHOUT_FEATURES: 'cert-order' })).toContain(
    'check_status, wait_until_up, look_up_threat.',
  )
  expect(await findMessage({})).toBeUndefined()
})

it('lists every step with its inputs and outputs on the docs page', () => {
  const missing = Object.entries(WORKFLOW_STEPS).flatMap(([id, { title, inputs, outputs }]) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} (\`${id}\`)`)) ?? ''
    const outputNames = /\| the same/.test(row) ? [] : Object.keys(outputs)
    return [...Object.keys(inputs), ...outputNames]
      .filter((name) => !row.includes(`\`${name}\``))
      .map((name) => `${id} ${name}`)
  })
  expect(missing).toEqual([])
})

describe('the command of a step', () => {
  const step = (id: string) => {
    const found = findStep(id, new Set())
    if (!found) throw new Error(`There is no step ${id}.`)
    return found
  }

  it.each([
    ['check_status', { check: 'web-1' }, 'production', { command: 'hc', text: 'show web-1' }],
    [
      'check_status',
      { check: 'a "b" --share' },
      'ote',
      { command: 'hc', text: 'show "a \\"b\\" --share" --env ote' },
    ],
    ['look_up_threat', { event: '--whois' }, 'production', { command: 'threat', text: '"--whois"' }],
    ['await_decision', { order: '3' }, 'production', { command: 'cert-order', text: 'show 3' }],
  ] as const)('is built for %s with the inputs %o', (id, inputs, environment, line) => {
    expect(stepLine(step(id), inputs, environment)).toEqual(line)
  })
})
