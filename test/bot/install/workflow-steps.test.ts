import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { createManifest } from '../../../src/bot/install/manifest.ts'
import { stepLine, stepOf, stepsWithout, WORKFLOW_STEPS } from '../../../src/bot/install/workflow-steps.ts'
import { examine } from '../../../src/doctor/examine.ts'
import { signalman } from '../../command-line.ts'
import { startDeployment } from '../../doctor/deployment.ts'
import { MANIFEST } from '../../manifest.ts'

const ALL = Object.keys(WORKFLOW_STEPS)
const page = readFileSync(join(import.meta.dirname, '../../../docs/use-workflows.md'), 'utf8')

const printed = (without: readonly string[], isSocketMode = false) => {
  const { functions = {} } = createManifest({
    ...{ url: 'https://signalman.example.com', prefix: '', isSocketMode },
    without: new Set(without),
  })
  return functions
}

describe('the manifest', () => {
  it('has every step, each with the person that Slack fills in, over sockets too', () => {
    expect(Object.keys(printed([]))).toEqual(ALL)
    expect(printed([], true)).toEqual(printed([]))
    for (const { input_parameters: inputs } of Object.values(printed([]))) {
      expect(inputs.properties.person).toMatchObject({ type: 'slack#/types/user_context' })
      expect(inputs.required).toContain('person')
    }
  })

  it('that is in the repository has the same', () => {
    const { steps } = readManifest(MANIFEST)
    expect(steps.map(({ callbackId }) => callbackId)).toEqual(ALL)
    for (const { callbackId, inputs, outputs } of steps) {
      const { input_parameters, output_parameters } = printed([])[callbackId] ?? {}
      expect(inputs.map(({ name }) => name)).toEqual(Object.keys(input_parameters?.properties ?? {}))
      expect(outputs.map(({ name }) => name)).toEqual(Object.keys(output_parameters?.properties ?? {}))
    }
  })

  it.each([
    [['workflows'], []],
    [['threat'], ALL.filter((id) => id !== 'look_up_threat')],
    [['cert-order'], ALL.filter((id) => !/order|decision/.test(id))],
  ])('leaves out what a deployment without %s has not', (without, left) => {
    expect(Object.keys(printed(without))).toEqual(left)
    expect(stepsWithout(new Set(without)).map(({ id }) => id)).toEqual(left)
  })

  it('says why there are none', async () => {
    const { stdout, stderr } = await signalman(['manifest', '--socket', '--without', 'workflows'])
    expect(stderr).toContain('Left out: workflows. SLACK_WITHOUT_FEATURES (or --without) names it.')
    expect(JSON.parse(stdout)).not.toHaveProperty('functions')
  })
})

it('the doctor says which there are, or why there are none', async () => {
  await using deployment = await startDeployment()
  for (const [left, says] of [
    ['', 'check_status, wait_until_up, look_up_threat, request_order, await_decision'],
    ['cert-order', 'check_status, wait_until_up, look_up_threat.'],
    ['workflows', 'Left out: SLACK_WITHOUT_FEATURES'],
  ]) {
    const environment = { ...deployment.variables, SLACK_WITHOUT_FEATURES: left }
    expect(await examine({ environment })).toContainEqual(
      expect.objectContaining({ part: 'feature workflows', says: expect.stringContaining(says ?? '') }),
    )
  }
})

it('the page about them names every step, with all that it takes and gives', () => {
  const missing = Object.entries(WORKFLOW_STEPS).flatMap(([id, { title, inputs, outputs }]) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} (\`${id}\`)`)) ?? ''
    const given = /\| the same/.test(row) ? [] : Object.keys(outputs)
    return [...Object.keys(inputs), ...given]
      .filter((name) => !row.includes(`\`${name}\``))
      .map((name) => `${id} ${name}`)
  })
  expect(missing).toEqual([])
})

describe('the line of a step', () => {
  const step = (id: string) => {
    const found = stepOf(id, new Set())
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
  ] as const)('%s of %o', (id, inputs, environment, line) => {
    expect(stepLine(step(id), inputs, environment)).toEqual(line)
  })
})
