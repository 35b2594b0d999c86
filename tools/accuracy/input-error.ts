/** An error that the user can fix: a wrong option, folder or table. Only its message is printed. */
export class InputError extends Error {}
