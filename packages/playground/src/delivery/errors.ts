export const ERROR_MESSAGES = {
  connection_trouble: 'We had some trouble connecting. Try again?',
  operation_timeout: "The app didn't answer within 3 seconds.",
  dispatch_failed: "The app couldn't be reached, or didn't answer with status 200.",
} as const
