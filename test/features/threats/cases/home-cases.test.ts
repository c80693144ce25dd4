import { describe, expect, it } from 'vitest'
import type { Environment } from '../../../../src/domain/environment.ts'
import { type listCases, readHomeCases } from '../../../../src/features/threats/cases/cases.ts'
import type { ThreatCase } from '../../../../src/features/threats/rules/threat-case.ts'
import { homeCaseBlocks } from '../../../../src/features/threats/views/case-queue.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'
import { ANN, createSampleCase, NOW } from './sample.ts'

const PERSON = { workspaceId: 'T1', userId: 'U1' }

/** Creates open cases of the person. The lowest severity is the most severe. */
async function createCases(
  environment: Environment,
  count: number,
  severity: number,
  domain = `${environment}.example`,
): Promise<ThreatCase[]> {
  const sample = await createSampleCase(readEvent(createThreatEvent(domain)), ['take', ANN])
  return Array.from({ length: count }, (_, index) => ({
    ...sample,
    ...{ environment, severity, eventId: `${environment}-${index}` },
  }))
}

/** Reads App Home from these cases. `others`: how many open cases of other people production has. */
async function readHome(all: readonly ThreatCase[], others = 0) {
  const find = (environment: Environment) => all.filter((each) => each.environment === environment)
  const cases: Parameters<typeof listCases>[0] = {
    list: async ({ environment, limit }) => find(environment).slice(0, limit),
    count: async ({ environment, holderId }) =>
      find(environment).length + (holderId === undefined && environment === 'production' ? others : 0),
  }
  const blocks = homeCaseBlocks(await readHomeCases(cases, PERSON), NOW)
  return JSON.stringify(blocks)
}

describe('threat cases in App Home', () => {
  it('are all reachable, if the first five are in production and another one is in OTE', async () => {
    const cases = [...(await createCases('production', 5, 1)), ...(await createCases('ote', 1, 1))]
    const home = await readHome(cases, 2)
    expect(home).toContain(
      'Your threat cases · 5 cases yours · 1 case yours in OTE · 7 cases open · 1 case open in OTE',
    )
    expect(home).toContain('All of mine in OTE')
    for (const line of [
      '--mine --env production',
      '--mine --env ote',
      'queue --env production',
      'queue --env ote',
    ])
      expect(home).toContain(line)
  })

  it('are listed by severity across environments, and say which are in OTE', async () => {
    const cases = [...(await createCases('production', 5, 2)), ...(await createCases('ote', 1, 1))]
    const home = await readHome(cases)
    expect(home.indexOf('ote-0')).toBeGreaterThan(-1)
    expect(home.indexOf('ote-0')).toBeLessThan(home.indexOf('production-0'))
    expect(home).toContain(' · OTE')
    expect(home).not.toContain('production-4')
  })

  it('aren’t counted twice if all of them are listed', async () => {
    const home = await readHome(await createCases('ote', 2, 1))
    expect(home).toContain('Your threat cases · 2 cases open in OTE')
    expect(home).not.toContain('--env production')
  })

  it('are left out if there are none', async () => {
    expect(await readHome([])).toBe('[]')
    expect(await readHome([], 1)).toContain('You have no threat case · 1 case open')
  })
})
