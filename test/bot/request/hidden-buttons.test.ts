import { message } from '@signalman/slack'
import { describe, expect, it, vi } from 'vitest'
import { createFindHiddenButtons } from '../../../src/bot/request/buttons.ts'

const findHiddenButtons = createFindHiddenButtons(() => undefined)

describe('a message that is cached separately for each set of permissions', () => {
  it('keeps its buttons without checking the person’s roles again', async () => {
    const rights = { actor: vi.fn(), roles: vi.fn() }
    const cached = { ...message('Hi'), serializedBodies: new Map() }
    expect(await findHiddenButtons(rights, cached)).toBeUndefined()
    expect(rights.roles).not.toHaveBeenCalled()
  })
})
