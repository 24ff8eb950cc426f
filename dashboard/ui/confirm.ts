import { createContext, type ReactNode, useContext } from "react";

/** Asks before something is destroyed [dashboard.confirm], and for the password if the API requires it again. */

export interface Question<T> {
  title: string;
  /** what is destroyed, and how much of it */
  destroys: ReactNode;
  /** the button's text, such as `Erase` */
  verb: string;
  /** a text to type first, where a mistake could not be undone */
  typed?: string;
  /** whether nothing is lost; the button is then not red */
  harmless?: boolean;
  run: () => Promise<T>;
}

export interface ConfirmFunctions {
  /** null: not confirmed */
  confirm<T>(question: Question<T>): Promise<T | null>;
  /** Runs a request, and again after asking for the password if the API requires it; null: no password was given. */
  withPassword<T>(run: () => Promise<T>): Promise<T | null>;
}

export const ConfirmContext = createContext<ConfirmFunctions | null>(null);

function useFunctions(): ConfirmFunctions {
  const functions = useContext(ConfirmContext);
  if (functions === null) throw new Error("there is no ConfirmProvider here");
  return functions;
}

export const useConfirm = (): ConfirmFunctions["confirm"] => useFunctions().confirm;
export const usePasswordAgain = (): ConfirmFunctions["withPassword"] => useFunctions().withPassword;
