import type { Routes } from '../../../bot/routes/routes.ts'
import { ORDER_POLICY } from '../policy.ts'
import { type ActivateRulesParts, activateRules } from '../rules/activate-rules.ts'
import { hashOfRules } from '../rules/rules.ts'
import { rulesView } from '../views/rules.ts'

/** The rules on content that hold, and letting those hold that were tried. */
export function ruleCommands(routes: Routes, parts: ActivateRulesParts): void {
  routes.verb({
    command: 'cert-order',
    verb: 'rules',
    usage: 'rules',
    does: 'Show the rules on content that hold, to be copied into a file',
    needs: 'approver',
    async run({ workspaceId }) {
      const { rules } = await parts.settings.get(workspaceId, ORDER_POLICY)
      return rulesView(rules, hashOfRules(rules ?? ''))
    },
  })

  routes.verb({
    command: 'cert-order',
    verb: 'hold',
    usage: 'hold HASH VERSION',
    does: 'Let rules on content hold that were tried on past orders',
    needs: 'admin',
    acts: true,
    run: (context, { words }) => activateRules(parts, context, words[0], words[1]),
  })
}
