/** Something that whoever calls can mend: an option, a folder, a table. Only its message is shown. */
export class InputError extends Error {}
