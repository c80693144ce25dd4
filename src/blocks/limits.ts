/**
 * What Slack accepts, in characters or entries. Slack counts code points; JavaScript's `length` counts UTF-16
 * units and is never smaller, so staying under these by `length` satisfies both.
 * Source: https://docs.slack.dev/reference/block-kit (read November 2026); `messageText` is undocumented and measured.
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
  placeholder: 150,
  inputLabel: 2000,
  inputHint: 2000,
  inputValue: 3000,
  modalTitle: 24,
  modalButton: 24,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  identifier: 255,
  metadata: 3000,
  altText: 2000,
  tableRows: 100,
  tableColumns: 20,
  tableCell: 500,
  tableText: 10_000,
} as const
