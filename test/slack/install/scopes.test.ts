import { readManifest } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { NEEDED_EVENTS, SCOPES } from '../../../packages/slack/src/install/scopes.ts'
import { MANIFEST } from '../../manifest.ts'

const manifest = readManifest(MANIFEST)

describe('manifest.yml', () => {
  it('asks for the scopes that the code uses, and no others', () => {
    expect([...manifest.scopes].sort()).toEqual(Object.keys(SCOPES).sort())
  })

  it('subscribes to the events that the app cannot do without', () => {
    expect(manifest.botEvents).toEqual(expect.arrayContaining([...NEEDED_EVENTS]))
  })

  it('may be installed for a whole organization', () => {
    expect(manifest.isOrgReady).toBe(true)
  })
})
