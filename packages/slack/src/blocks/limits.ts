/**
 * Slack's limits, in characters or items. Slack counts code points. JavaScript's `length` counts UTF-16 units and is never
 * smaller, so it's safe to check `length` against these limits.
 * Source: https://docs.slack.dev/reference/block-kit (read November 2026). Slack doesn't document `messageText`; it was found by
 * testing.
 */
export const LIMITS = {
  messageBlocks: 50,
  viewBlocks: 100,
  messageBlockText: 13_000,
  messageText: 4000,
  sectionText: 3000,
  fieldText: 2000,
  fields: 10,
  headerText: 150,
  contextElements: 10,
  actionElements: 25,
  buttonText: 75,
  buttonValue: 2000,
  optionText: 75,
  optionValue: 150,
  options: 100,
  overflowOptions: 5,
  placeholder: 150,
  inputLabel: 2000,
  inputHint: 2000,
  inputValue: 3000,
  modalTitle: 24,
  modalButton: 24,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  metadata: 3000,
} as const
