"""How the offline mind's heads are trained: data, script, figures. Needs the extra `train`."""
